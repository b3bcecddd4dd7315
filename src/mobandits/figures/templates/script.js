// What a page can do where scripts run: values at the pointer, one series alone, a part of a chart,
// tables in another order, numbers as files, links to what is seen. Everything that it shows can be
// read without it.
"use strict";

(() => {
{% include "view.js" %}
{% include "zoom.js" %}
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

  function whenPressed(name, press) {
    name.addEventListener("click", press);
    name.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      press();
    });
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

  function makeSortable(table, key) {
    const body = table.tBodies[0];
    const original = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    const sort = (column, order) => {
      for (const head of heads) head.removeAttribute("aria-sort");
      if (order) heads[column].setAttribute("aria-sort", order);
      const direction = order === "descending" ? -1 : 1;
      body.append(...(order ? sorted(original, column, direction) : original));
    };
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const next = { ascending: "descending", descending: "" };
        sort(column, next[head.getAttribute("aria-sort")] ?? "ascending");
        changed(key);
      });
    });
    const read = () => {
      const column = heads.findIndex((head) => head.hasAttribute("aria-sort"));
      return column < 0 ? [] : [`${column} ${heads[column].getAttribute("aria-sort")}`];
    };
    keep(key, table, read, ([text = ""]) => {
      const [column, order] = text.split(" ");
      sort(column, column in heads && /^(a|de)scending$/.test(order) ? order : "");
    });
  }

  function titleOf(table) {
    const own = table.caption ?? table.closest("details")?.querySelector("summary");
    const heads = [...document.querySelectorAll("h1, h2")];
    const isAbove = (head) => head.compareDocumentPosition(table) & Node.DOCUMENT_POSITION_FOLLOWING;
    return (own ?? heads.findLast(isAbove)).textContent;
  }

  for (const [i, table] of document.querySelectorAll("table.sortable").entries()) {
    const texts = (row) => [...row.cells].map((cell) => plain(cell.innerText));
    if (table.tBodies[0]?.rows.length > 1) makeSortable(table, `sort${i}`);
    const place = add(table.parentElement, "div");
    offerFile(place, "Download table (CSV)", titleOf(table), () => [...table.rows].map(texts));
  }

  for (const [i, details] of document.querySelectorAll("details").entries()) {
    const key = `open${i}`;
    const isOpen = details.open;
    const read = () => (details.open === isOpen ? [] : [String(details.open)]);
    keep(key, details, read, ([text]) => {
      details.open = text ? text === "true" : isOpen;
    });
    details.addEventListener("toggle", () => changed(key));
  }

  // Figures

  // Names that are clicked stay, all other series fade. Returns the set of names that stay.
  function fadeByName(figure, key) {
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
        changed(key);
      };
      whenPressed(name, press);
    }
    // An image would hide its names from those who hear the page.
    for (const svg of figure.querySelectorAll("svg")) svg.setAttribute("role", "group");
    keep(key, figure, () => [...chosen], (texts) => {
      chosen.clear();
      for (const { dataset } of names) if (texts.includes(dataset.series)) chosen.add(dataset.series);
      show();
    });
    show();
    return chosen;
  }

  function colourOf(svg, series) {
    const own = `[data-series="${CSS.escape(series)}"]`;
    const line = svg.querySelector(`${own} path[style*="stroke:"]`);
    return line ? getComputedStyle(line).stroke : "transparent";
  }

  function fill(box, panel, at, chosen) {
    box.replaceChildren();
    const { kind } = panel.whole.horizontal;
    const number = kind === "date" ? dateText(panel.rounds[at]) : wholeNumber.format(panel.rounds[at]);
    const round = `${panel.along} ${number}`;
    const isShare = panel.whole.vertical.kind === "share";
    const text = (value) => isShare ? `${shortNumber.format(100 * value)}%` : shortNumber.format(value);
    add(box, "b", "", panel.title ? `${panel.title}, ${round}` : round);
    const body = add(add(box, "table"), "tbody");
    const shown = panel.series.filter((series) => series.mean[at] !== null);
    const kept = shown.filter((series) => !chosen.size || chosen.has(series.name));
    // As the lines lie under each other.
    kept.sort((one, other) => other.mean[at] - one.mean[at]);
    for (const { name, mean, low, high } of kept) {
      const row = add(body, "tr");
      const head = add(row, "td");
      add(head, "i").style.background = colourOf(panel.svg, name);
      head.append(name);
      const ends = [low[at], high[at]];
      const interval = ends.includes(null) ? "" : ` [${ends.map(text).join(", ")}]`;
      add(row, "td", "", text(mean[at]) + interval);
    }
  }

  // The values of a panel at one of its rounds, beside a line that stands there.
  function valueBox(figure, chosen) {
    const guide = add(figure, "div", "guide");
    const box = add(figure, "div", "values");
    box.setAttribute("role", "status");
    const shown = { at: null };

    shown.hide = () => {
      shown.at = null;
      guide.hidden = box.hidden = true;
    };
    shown.show = (stop) => {
      shown.at = stop;
      const { panel, index, round } = stop;
      const place = position(panel.view.horizontal, round);
      cover(guide, panel, [place, place], [0, 1]);
      fill(box, panel, index, chosen);
      // On the side with more room; a phone has room below the panel only.
      const x = parseFloat(guide.style.left);
      const width = figure.clientWidth;
      const beyond = x > width / 2;
      const below = width < 500;
      box.hidden = false;
      box.style.left = below ? "0" : beyond ? "auto" : `${x + 10}px`;
      box.style.right = below ? "0" : beyond ? `${width - x + 10}px` : "auto";
      // Below the button that shows the whole chart.
      const down = below ? guide.style.height : panel.view === panel.whole ? "0px" : "1.7rem";
      box.style.top = `calc(${guide.style.top} + ${down})`;
    };
    shown.hide();
    return shown;
  }

  function stopsOf(panel) {
    const { first, last } = panel.view.horizontal;
    const stops = panel.rounds.map((round, index) => ({ panel, index, round }));
    return stops.filter(({ round }) => first <= round && round <= last);
  }

  function readByPointer(svg, panels, shown, selection) {
    const follow = (event) => {
      const panel = event.target.closest(".reset") ? null : panelUnder(panels, event);
      const stops = panel && selection.hidden ? stopsOf(panel) : [];
      if (!stops.length) return shown.hide();
      const [place] = placeIn(panel, event);
      const apart = ({ round }) => Math.abs(position(panel.view.horizontal, round) - place);
      shown.show(stops.reduce((one, other) => (apart(other) < apart(one) ? other : one)));
    };
    for (const type of ["pointermove", "pointerdown", "pointerup"]) svg.addEventListener(type, follow);
    svg.addEventListener("pointerleave", shown.hide);
  }

  function readByKeys(svg, panels, shown, zoom) {
    // Half of the rounds that are seen, around the one that is read.
    const zoomIn = (stop) => {
      const { number, view: { horizontal, vertical } } = stop.panel;
      const first = Math.min(Math.max(position(horizontal, stop.round) - 0.25, 0), 0.5);
      const ends = [first, first + 0.5].map((place) => numberAt(horizontal, place));
      zoom(number, [...ends, vertical.first, vertical.last]);
    };
    svg.setAttribute("tabindex", "0");
    svg.setAttribute(
      "aria-description",
      "Arrow keys, Page Up and Page Down read the values. Plus zooms in, minus shows the whole chart.",
    );
    svg.addEventListener("blur", shown.hide);
    svg.addEventListener("keydown", (event) => {
      if (event.target !== svg) return;
      if (event.key === "Escape") shown.hide();
      const stops = panels.flatMap(stopsOf);
      const { at } = shown;
      const place = stops.findIndex(({ panel, index }) => panel === at?.panel && index === at.index);
      const last = stops.length - 1;
      const steps = { ArrowLeft: place - 1, ArrowRight: place + 1, Home: 0, End: last };
      Object.assign(steps, { PageUp: place - 10, PageDown: place + 10 });
      if (event.key in steps && stops.length) {
        shown.show(stops[Math.min(Math.max(steps[event.key], 0), last)]);
      } else if (at && event.key === "+") {
        zoomIn(at);
        shown.show(at);
      } else if (at && event.key === "-") {
        zoom(at.panel.number, null);
        shown.show(at);
      } else return;
      event.preventDefault();
    });
  }

  // A figure with numbers: its values are read, and a part of it is seen alone.
  function makeReadable(figure, data, chosen, key) {
    const panels = []; // of the wide and of the narrow chart
    const redraw = zooming(figure, panels, key);
    const shown = valueBox(figure, chosen);
    const selection = add(figure, "div", "selection");
    const zoom = (number, part) => {
      shown.hide();
      redraw(number, part);
    };
    for (const svg of figure.querySelectorAll("svg[data-scales]")) {
      const groups = svg.querySelectorAll("[data-panel]");
      const own = [];
      for (const [number, whole] of JSON.parse(svg.dataset.scales).entries()) {
        if (!whole) continue;
        const draw = redrawing(svg, groups[number], whole, () => zoom(number, null));
        own.push({ ...data.panels[number], along: data.along, svg, number, whole, view: whole, draw });
      }
      if (!own.length) continue;
      panels.push(...own);
      zoomByPointer(svg, own, selection, zoom);
      readByPointer(svg, own, shown, selection);
      readByKeys(svg, own, shown, zoom);
    }
  }

  function rowsOf(data) {
    const rows = [["panel", "policy", data.along, "mean", "low", "high"]];
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

  for (const [i, figure] of document.querySelectorAll("figure").entries()) {
    const keys = [`names${i}`, `zoom${i}`];
    const chosen = fadeByName(figure, keys[0]);
    const source = figure.querySelector('script[type="application/json"]');
    if (!source) continue;
    const data = JSON.parse(source.textContent);
    makeReadable(figure, data, chosen, keys[1]);
    const place = add(figure.querySelector("figcaption"), "div");
    offerFile(place, "Download data (CSV)", data.name, () => rowsOf(data));
    offerLink(place, keys);
  }
  openLink();
  addEventListener("hashchange", openLink);
})();
