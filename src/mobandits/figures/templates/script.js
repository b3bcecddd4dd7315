// What a page can do where scripts run: values at the pointer, one series alone, tables in another
// order, numbers as files. Everything that it shows can be read without it.
"use strict";

(() => {
  const EMPTY = /^[\s\u2013\u2014-]*$/;
  // "1,234 ± 5", "$0.03", "12 %", but no date: "2026-01-31" is sorted as text.
  const NUMBER = /^[^\p{L}\d.+-]{0,3}([+-]?(?:\d[\d,]*)?\.?\d+(?:e[+-]?\d+)?)(?![\d.,]*[-:/]\d)/iu;
  const INFINITE = /^([+-]?)(?:\u221e|inf(?:inity)?\b)/iu;
  const ALONE = /^[+-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?$/i;
  const words = new Intl.Collator("en", { numeric: true });
  const shortNumber = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
  const wholeNumber = new Intl.NumberFormat("en");

  function add(parent, tag, className = "", text = "") {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.textContent = text;
    parent.append(element);
    return element;
  }

  // Files

  function plain(text) {
    const trimmed = text.trim().replace(/\s+/g, " ");
    const number = trimmed.replace(/\u2212/g, "-");
    return ALONE.test(number) ? number.replaceAll(",", "") : trimmed;
  }

  function csv(rows) {
    const cell = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
  }

  function offerFile(parent, label, name, rows) {
    const button = add(parent, "button", "download", label);
    button.type = "button";
    button.addEventListener("click", () => {
      const file = new Blob([csv(rows())], { type: "text/csv" });
      const link = document.createElement("a");
      link.href = URL.createObjectURL(file);
      link.download = `${name.replace(/[^\p{L}\p{N}]+/gu, "_").slice(0, 80) || "table"}.csv`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    });
  }

  // Tables

  function numberIn(text) {
    const normal = text.trim().replace(/\u2212/g, "-");
    const infinite = INFINITE.exec(normal);
    if (infinite) return infinite[1] === "-" ? -Infinity : Infinity;
    const found = NUMBER.exec(normal);
    return found ? Number(found[1].replaceAll(",", "")) : NaN;
  }

  function sorted(rows, column, direction) {
    const cells = rows.map((row) => ({ row, text: row.cells[column]?.textContent ?? "" }));
    for (const cell of cells) {
      cell.empty = EMPTY.test(cell.text);
      cell.number = numberIn(cell.text);
    }
    const numeric = cells.every((cell) => cell.empty || !Number.isNaN(cell.number));
    const compare = (one, other) => {
      if (!numeric) return words.compare(one.text, other.text);
      return (one.number > other.number) - (one.number < other.number);
    };
    // What is empty is last in both directions.
    const order = (one, other) => one.empty - other.empty || direction * compare(one, other);
    return cells.sort(order).map((cell) => cell.row);
  }

  function makeSortable(table) {
    const body = table.tBodies[0];
    const original = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const next = { ascending: "descending", descending: "" };
        const order = next[head.getAttribute("aria-sort")] ?? "ascending";
        for (const each of heads) each.removeAttribute("aria-sort");
        if (order) head.setAttribute("aria-sort", order);
        const direction = order === "descending" ? -1 : 1;
        body.append(...(order ? sorted(original, column, direction) : original));
      });
    });
  }

  function titleOf(table) {
    const own = table.caption ?? table.closest("details")?.querySelector("summary");
    const heads = [...document.querySelectorAll("h1, h2")];
    const isAbove = (head) => head.compareDocumentPosition(table) & Node.DOCUMENT_POSITION_FOLLOWING;
    return (own ?? heads.findLast(isAbove)).textContent;
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    const texts = (row) => [...row.cells].map((cell) => plain(cell.innerText));
    if (table.tBodies[0]?.rows.length > 1) makeSortable(table);
    const place = add(table.parentElement, "div");
    offerFile(place, "Download table (CSV)", titleOf(table), () => [...table.rows].map(texts));
  }

  // Figures

  // Names that are clicked stay, all other series fade. Returns the set of names that stay.
  function fadeByName(figure) {
    const chosen = new Set();
    const marks = [...figure.querySelectorAll("[data-series]")];
    const names = marks.filter((mark) => "names" in mark.dataset);
    if (new Set(names.map((name) => name.dataset.series)).size < 2) return chosen;

    const show = () => {
      for (const mark of marks) {
        const stays = chosen.has(mark.dataset.series);
        mark.classList.toggle("faded", chosen.size > 0 && !stays);
        if (mark.getAttribute("role") === "button") mark.setAttribute("aria-pressed", stays);
      }
    };
    for (const name of names) {
      const series = name.dataset.series;
      name.classList.add("pressable");
      // A piece of a line beside a name can be clicked like it, but is no second button.
      if (name.querySelector("text")) {
        name.setAttribute("role", "button");
        name.setAttribute("tabindex", "0");
        name.setAttribute("aria-label", `${series}: fade all others`);
      }
      const press = () => {
        if (!chosen.delete(series)) chosen.add(series);
        show();
      };
      name.addEventListener("click", press);
      name.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        press();
      });
    }
    // An image would hide its names from those who hear the page.
    for (const svg of figure.querySelectorAll("svg")) svg.setAttribute("role", "group");
    show();
    return chosen;
  }

  function position(scale, round) {
    const along = scale.logarithmic ? Math.log : Number;
    return (along(round) - along(scale.first)) / (along(scale.last) - along(scale.first));
  }

  function nearest(scale, rounds, place) {
    const distances = rounds.map((round) => Math.abs(position(scale, round) - place));
    return distances.indexOf(Math.min(...distances));
  }

  function colourOf(svg, series) {
    const own = `[data-series="${CSS.escape(series)}"]`;
    const line = svg.querySelector(`${own} path[style*="stroke:"]`);
    return line ? getComputedStyle(line).stroke : "transparent";
  }

  function fill(box, svg, panel, at, chosen) {
    box.replaceChildren();
    const round = `round ${wholeNumber.format(panel.rounds[at])}`;
    add(box, "b", "", panel.title ? `${panel.title}, ${round}` : round);
    const body = add(add(box, "table"), "tbody");
    const shown = panel.series.filter((series) => series.mean[at] !== null);
    const kept = shown.filter((series) => !chosen.size || chosen.has(series.name));
    // As the lines lie under each other.
    kept.sort((one, other) => other.mean[at] - one.mean[at]);
    for (const { name, mean, low, high } of kept) {
      const row = add(body, "tr");
      const head = add(row, "td");
      add(head, "i").style.background = colourOf(svg, name);
      head.append(name);
      const ends = [low[at], high[at]];
      const interval = ends.includes(null) ? "" : ` [${ends.map(shortNumber.format).join(", ")}]`;
      add(row, "td", "", shortNumber.format(mean[at]) + interval);
    }
  }

  function showValues(figure, data, chosen) {
    const guide = add(figure, "div", "guide");
    const box = add(figure, "div", "values");
    box.setAttribute("role", "status");
    let at = -1; // the number of the stop that is shown

    const hide = () => {
      at = -1;
      guide.hidden = box.hidden = true;
    };
    const show = (svg, scale, panel, index) => {
      const outer = figure.getBoundingClientRect();
      const frame = svg.getBoundingClientRect();
      const [left, top, right, bottom] = scale.box;
      const along = position(scale, panel.rounds[index]);
      const x = frame.left - outer.left + frame.width * (left + along * (right - left));
      guide.hidden = box.hidden = false;
      guide.style.left = `${x}px`;
      guide.style.top = `${frame.top - outer.top + frame.height * top}px`;
      guide.style.height = `${frame.height * (bottom - top)}px`;
      fill(box, svg, panel, index, chosen);
      // On the side with more room; a phone has room below the panel only.
      const beyond = x > outer.width / 2;
      const below = outer.width < 500;
      box.style.left = below ? "0" : beyond ? "auto" : `${x + 10}px`;
      box.style.right = below ? "0" : beyond ? `${outer.width - x + 10}px` : "auto";
      box.style.top = `${frame.top - outer.top + frame.height * (below ? bottom : top)}px`;
    };

    for (const svg of figure.querySelectorAll("svg[data-scales]")) {
      const scales = JSON.parse(svg.dataset.scales);
      const shown = data.panels.map((panel, i) => ({ panel, scale: scales[i] }));
      const panels = shown.filter(({ scale }) => scale);
      const stops = panels.flatMap((each) =>
        each.panel.rounds.map((_, index) => ({ ...each, index })),
      );
      if (!stops.length) continue;

      const follow = (event) => {
        const frame = svg.getBoundingClientRect();
        const x = (event.clientX - frame.left) / frame.width;
        const y = (event.clientY - frame.top) / frame.height;
        const under = panels.find(({ scale: { box: [left, top, right, bottom] } }) => (
          left <= x && x <= right && top <= y && y <= bottom
        ));
        if (!under) return hide();
        const [left, , right] = under.scale.box;
        const index = nearest(under.scale, under.panel.rounds, (x - left) / (right - left));
        at = stops.findIndex((stop) => stop.panel === under.panel && stop.index === index);
        show(svg, under.scale, under.panel, index);
      };
      svg.addEventListener("pointermove", follow);
      svg.addEventListener("pointerdown", follow);
      svg.addEventListener("pointerleave", hide);

      svg.setAttribute("tabindex", "0");
      svg.setAttribute("aria-description", "Arrow keys, Page Up and Page Down read the values.");
      svg.addEventListener("blur", hide);
      svg.addEventListener("keydown", (event) => {
        const last = stops.length - 1;
        const steps = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
        Object.assign(steps, { PageUp: at - 10, PageDown: at + 10 });
        if (event.target !== svg) return;
        if (event.key === "Escape") hide();
        if (!(event.key in steps)) return;
        at = Math.min(Math.max(steps[event.key], 0), last);
        show(svg, stops[at].scale, stops[at].panel, stops[at].index);
        event.preventDefault();
      });
    }
    hide();
  }

  function rowsOf(data) {
    const rows = [["panel", "policy", "round", "mean", "low", "high"]];
    for (const panel of data.panels) {
      for (const { name, mean, low, high } of panel.series) {
        panel.rounds.forEach((round, i) => {
          const numbers = [mean[i], low[i], high[i]].map((number) => number ?? "");
          if (mean[i] !== null) rows.push([panel.title, name, round, ...numbers].map(String));
        });
      }
    }
    return rows;
  }

  for (const figure of document.querySelectorAll("figure")) {
    const chosen = fadeByName(figure);
    const source = figure.querySelector('script[type="application/json"]');
    if (!source) continue;
    const data = JSON.parse(source.textContent);
    showValues(figure, data, chosen);
    const place = add(figure.querySelector("figcaption"), "div");
    offerFile(place, "Download data (CSV)", data.name, () => rowsOf(data));
  }
})();
