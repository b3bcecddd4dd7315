// Draws charts, shows the fields of the order that is chosen, and keeps the list of agents fresh.
// All that it shows is in the page without it: as tables, and as a form with all its fields.
"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("scripted");

  const colour = (name) => getComputedStyle(root).getPropertyValue(`--${name}`).trim();
  const two = (n) => String(n).padStart(2, "0");
  const short = (value) => (value == null ? "–" : value.toLocaleString("en", { maximumSignificantDigits: 4 }));
  const HEIGHT = 190;
  const plots = [];

  // Times are in UTC, as in the tables.
  const clock = (seconds) => {
    const at = new Date(1000 * seconds);
    return `${two(at.getUTCMonth() + 1)}-${two(at.getUTCDate())} ${two(at.getUTCHours())}:${two(at.getUTCMinutes())}`;
  };

  // Where nothing is pointed at, the legend has the last moment.
  const showLast = (plot) => plot.setLegend({ idx: plot.data[0].length - 1 });

  // Where a series has nothing at a moment, what it had last, and when.
  const lastKnown = (plot, series, at) => {
    const values = plot.data[series];
    let place = at ?? values.length - 1;
    while (place >= 0 && values[place] == null) place -= 1;
    return place < 0 ? "none" : `${short(values[place])} (${clock(plot.data[0][place])})`;
  };

  // The form asks for what is zoomed to, so that it can be shown in full and has an address.
  const askFor = (plot, scale) => {
    if (scale !== "x") return;
    const [times] = plot.data;
    const { min, max } = plot.scales.x;
    const isWhole = min === times[0] && max === times.at(-1);
    for (const [name, seconds] of [["from", min], ["to", max]]) {
      const field = document.querySelector(`.filters [name=${name}]`);
      field.value = isWhole ? field.defaultValue : new Date(1000 * seconds).toISOString().slice(0, 16);
    }
  };

  const options = (chart, width) => ({
    width,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(1000 * seconds), "Etc/UTC"),
    cursor: { sync: { key: "time" }, points: { size: 6 } },
    legend: { live: true },
    hooks: { ready: [showLast], setCursor: [(plot) => plot.cursor.idx == null && showLast(plot)], setScale: [askFor] },
    scales: {
      y: { range: (_, low, high) => range(chart, low, high) },
    },
    axes: [
      { stroke: colour("soft"), grid: { stroke: colour("faint"), width: 1 }, ticks: { show: false }, values: hours },
      { stroke: colour("soft"), grid: { stroke: colour("faint"), width: 1 }, ticks: { show: false }, size: 56, values: (_, splits) => splits.map(short) },
    ],
    series: [
      { label: "UTC", value: (_, seconds) => (seconds == null ? "–" : clock(seconds)) },
      ...chart.labels.map((label, i) => ({
        label,
        stroke: colour(chart.colours[i]),
        width: 1.8,
        spanGaps: true,
        points: { size: 4 },
        value: (plot, value, series, at) => value == null ? lastKnown(plot, series, at) : short(value),
      })),
    ],
  });

  // The day where it begins, else the hour.
  const hours = (_, splits) => splits.map((seconds) => {
    const at = new Date(1000 * seconds);
    const hour = `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}`;
    return hour === "00:00" ? `${two(at.getUTCMonth() + 1)}-${two(at.getUTCDate())}` : hour;
  });

  const range = (chart, low, high) => {
    if (low == null) return [0, chart.top ?? 1];
    if (chart.top != null) return [0, Math.max(high, chart.top) * 1.04];
    const room = 0.08 * (high - low) || 0.1 * Math.abs(high) || 1;
    const bottom = low >= 0 && low < 2 * (high - low) ? 0 : low - room;
    return [bottom, high + room];
  };

  const draw = (charts) => {
    for (const plot of plots.splice(0)) plot.destroy();
    for (const figure of document.querySelectorAll("[data-chart]")) {
      const chart = charts[figure.dataset.chart];
      const place = figure.querySelector(".plot");
      const data = [chart.starts, ...chart.values];
      plots.push(new uPlot(options(chart, place.clientWidth), data, place));
    }
  };

  const content = document.getElementById("charts");
  if (content) {
    const charts = JSON.parse(content.textContent);
    for (const details of document.querySelectorAll(".chart details")) details.open = false;
    draw(charts);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw(charts));
    new ResizeObserver(() => {
      for (const plot of plots) plot.setSize({ width: plot.root.parentNode.clientWidth, height: HEIGHT });
    }).observe(document.querySelector(".charts"));
  }

  const form = document.querySelector(".preference");
  if (form) {
    const slider = form.querySelector("[name=slider]");
    const output = form.querySelector("output");
    const show = () => {
      for (const choice of form.querySelectorAll(".choice")) {
        const fields = choice.querySelector(":scope > .fields");
        if (fields) fields.hidden = !choice.querySelector(":scope > label [type=radio]").checked;
      }
      if (slider) {
        const [first, second] = JSON.parse(output.dataset.names);
        output.textContent = `${first} ${(100 - slider.value) / 100}, ${second} ${slider.value / 100}`;
      }
    };
    form.addEventListener("input", show);
    form.addEventListener("submit", () => form.classList.add("busy-form"));
    show();
  }

  const underWay = document.getElementById("under-way");
  if (underWay) setTimeout(() => location.reload(), 1000 * Number(underWay.dataset.refresh));

  const list = document.getElementById("agents");
  const search = document.getElementById("search");
  // A row of warnings belongs to the agent above it.
  const filter = () => {
    const wanted = search.value.trim().toLowerCase();
    let isShown = true;
    for (const row of list.querySelectorAll("tbody tr")) {
      if (!row.classList.contains("below")) isShown = row.textContent.toLowerCase().includes(wanted);
      row.hidden = !isShown;
    }
  };
  if (search) {
    search.closest(".search").hidden = false;
    search.addEventListener("input", filter);
  }
  if (list) {
    setInterval(async () => {
      // Not under somebody who is about to follow a link.
      if (document.hidden || list.contains(document.activeElement)) return;
      try {
        const answer = await fetch("/", { redirect: "error" });
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.getElementById("agents");
        if (answer.ok && fresh) list.replaceChildren(...fresh.childNodes);
        if (search) filter();
      } catch {
        // The service is away: what was known stays.
      }
    }, 1000 * Number(list.dataset.refresh));
  }
})();
