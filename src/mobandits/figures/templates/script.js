// What a page can do where scripts run: values at the pointer, one series alone, tables in another
// order, numbers as files. Everything that it shows can be read without it.
"use strict";

(() => {
  const EMPTY = /^[\s\u2013\u2014-]*$/;
  // "1,234 ± 5", "$0.03", "12 %", but no date: "2026-01-31" is sorted as text.
  const NUMBER = /^[^\p{L}\d.+-]{0,3}([+-]?(?:\d[\d,]*)?\.?\d+(?:e[+-]?\d+)?)(?![\d.,]*[-:/]\d)/iu;
  const INFINITE = /^([+-]?)(?:\u221e|inf(?:inity)?)\b/iu;
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

  function offerFile(parent, words, name, rows) {
    const button = add(parent, "button", "download", words);
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

  function comparison(texts) {
    const numeric = texts.every((text) => EMPTY.test(text) || !Number.isNaN(numberIn(text)));
    if (!numeric) return words.compare;
    return (one, other) => {
      const first = numberIn(one);
      const second = numberIn(other);
      return first === second ? 0 : first - second;
    };
  }

  function sorted(rows, column, direction) {
    const texts = new Map(rows.map((row) => [row, row.cells[column]?.textContent ?? ""]));
    const compare = comparison([...texts.values()]);
    const order = (one, other) => {
      const first = texts.get(one);
      const second = texts.get(other);
      // What is empty is last in both directions.
      const empty = EMPTY.test(first) - EMPTY.test(second);
      return empty || direction * compare(first, second);
    };
    return [...rows].sort(order);
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
    if (table.caption) return table.caption.textContent;
    const summary = table.closest("details")?.querySelector("summary");
    if (summary) return summary.textContent;
    const above = [...document.querySelectorAll("h1, h2")].filter(
      (head) => head.compareDocumentPosition(table) & Node.DOCUMENT_POSITION_FOLLOWING,
    );
    return above.at(-1)?.textContent ?? "";
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    // Read now, before headers hold buttons, and later the rows as they are sorted then.
    const rows = () => [...table.rows].map((row) => [...row.cells].map((cell) => plain(cell.innerText)));
    if (table.tBodies[0]?.rows.length > 1) makeSortable(table);
    const place = add(table.parentElement, "div");
    offerFile(place, "Download table (CSV)", titleOf(table), rows);
  }

  // Figures

  function whenPressed(element, act) {
    element.addEventListener("click", act);
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      act();
    });
  }

  // Names that are clicked stay, all other series fade. Returns the set of names that stay.
  function fadeByName(figure) {
    const chosen = new Set();
    const marks = [...figure.querySelectorAll("[data-series]")];
    const names = marks.filter((mark) => "names" in mark.dataset);
    if (new Set(names.map((name) => name.dataset.series)).size < 2) return chosen;

    const show = () => {
      for (const mark of marks) {
        const faded = chosen.size > 0 && !chosen.has(mark.dataset.series);
        mark.classList.toggle("faded", faded);
      }
      for (const name of names) {
        name.setAttribute("aria-pressed", chosen.has(name.dataset.series));
      }
    };
    for (const name of names) {
      const series = name.dataset.series;
      name.setAttribute("role", "button");
      name.setAttribute("aria-label", `${series}: fade all others`);
      // A piece of a line beside a name can be clicked like it, but is no second stop for keys.
      if (name.querySelector("text")) name.setAttribute("tabindex", "0");
      whenPressed(name, () => {
        if (!chosen.delete(series)) chosen.add(series);
        show();
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
    const marks = [...svg.querySelectorAll("[data-series]")];
    const own = marks.filter((mark) => mark.dataset.series === series);
    const paths = own.flatMap((mark) => [...mark.querySelectorAll("path")]);
    const strokes = paths.map((path) => getComputedStyle(path).stroke);
    return strokes.find((stroke) => stroke !== "none") ?? "transparent";
  }

  function fill(box, svg, panel, at, chosen) {
    box.replaceChildren();
    add(box, "b", "", `round ${wholeNumber.format(panel.rounds[at])}`);
    const body = add(add(box, "table"), "tbody");
    const shown = panel.series.filter((series) => series.mean[at] !== null);
    const kept = shown.filter((series) => !chosen.size || chosen.has(series.name));
    // As the lines lie under each other.
    kept.sort((one, other) => other.mean[at] - one.mean[at]);
    for (const series of kept) {
      const row = add(body, "tr");
      const name = add(row, "td");
      add(name, "i").style.background = colourOf(svg, series.name);
      name.append(series.name);
      const ends = [series.low[at], series.high[at]];
      const interval = ends.includes(null) ? "" : ` [${ends.map(shortNumber.format).join(", ")}]`;
      add(row, "td", "", shortNumber.format(series.mean[at]) + interval);
    }
  }

  function showValues(figure, data, chosen) {
    const guide = add(figure, "div", "guide");
    const box = add(figure, "div", "values");
    box.setAttribute("role", "status");
    let at = null; // panel and number of the round that is shown

    const hide = () => {
      at = null;
      guide.hidden = box.hidden = true;
    };
    const show = (svg, scales, panel, index) => {
      at = { panel, index };
      const scale = scales[panel];
      const outer = figure.getBoundingClientRect();
      const frame = svg.getBoundingClientRect();
      const [left, top, right, bottom] = scale.box;
      const along = position(scale, data.panels[panel].rounds[index]);
      const x = frame.left - outer.left + frame.width * (left + along * (right - left));
      guide.hidden = box.hidden = false;
      guide.style.left = `${x}px`;
      guide.style.top = `${frame.top - outer.top + frame.height * top}px`;
      guide.style.height = `${frame.height * (bottom - top)}px`;
      fill(box, svg, data.panels[panel], index, chosen);
      // On the side with more room.
      const beyond = x > outer.width / 2;
      box.style.left = beyond ? "auto" : `${x + 10}px`;
      box.style.right = beyond ? `${outer.width - x + 10}px` : "auto";
      box.style.top = guide.style.top;
    };

    for (const svg of figure.querySelectorAll("svg[data-scales]")) {
      const scales = JSON.parse(svg.dataset.scales);
      const panels = [...scales.keys()].filter((panel) => scales[panel]);
      if (!panels.length) continue;

      const follow = (event) => {
        const frame = svg.getBoundingClientRect();
        const x = (event.clientX - frame.left) / frame.width;
        const y = (event.clientY - frame.top) / frame.height;
        const under = panels.find((panel) => {
          const [left, top, right, bottom] = scales[panel].box;
          return left <= x && x <= right && top <= y && y <= bottom;
        });
        if (under === undefined) return hide();
        const [left, , right] = scales[under].box;
        const place = (x - left) / (right - left);
        show(svg, scales, under, nearest(scales[under], data.panels[under].rounds, place));
      };
      svg.addEventListener("pointermove", follow);
      svg.addEventListener("pointerdown", follow);
      svg.addEventListener("pointerleave", hide);

      svg.setAttribute("tabindex", "0");
      svg.setAttribute("aria-description", "Arrow keys read the values, left and right by rounds.");
      svg.addEventListener("blur", hide);
      svg.addEventListener("keydown", (event) => {
        if (event.target !== svg) return;
        if (event.key === "Escape") return hide();
        const panel = at ? at.panel : panels[0];
        const last = data.panels[panel].rounds.length - 1;
        const from = at ? at.index : last + 1;
        const steps = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: last };
        if (event.key in steps) {
          show(svg, scales, panel, Math.min(Math.max(steps[event.key], 0), last));
        } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
          const way = event.key === "ArrowDown" ? 1 : panels.length - 1;
          const other = panels[(panels.indexOf(panel) + way) % panels.length];
          show(svg, scales, other, Math.min(from, data.panels[other].rounds.length - 1));
        } else return;
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
