  // A part of a chart in place of the whole: lines move, ticks are drawn anew at round numbers.

  const PAIR = /(-?[\d.]+) (-?[\d.]+)/g;
  // Of an axis, at least so much is shown: drawn places have a precision of a hundredth of a point.
  const LEAST = 0.02;
  const SHORT = 10; // pixels of a side of a rectangle that is none
  const TICK_WIDTH = 44; // points between ticks, about
  const TICK_HEIGHT = 26;
  const HOURS = [1, 2, 3, 6, 12].map((hours) => hours / 24);
  const digits = { maximumSignificantDigits: 8, useGrouping: "min2" };
  const standardTick = new Intl.NumberFormat("en", digits);
  const compactTick = new Intl.NumberFormat("en", { ...digits, notation: "compact" });

  // Where a number is on an axis, from 0 to 1.
  function position(axis, number) {
    const along = axis.kind === "log" ? Math.log : Number;
    return (along(number) - along(axis.first)) / (along(axis.last) - along(axis.first));
  }

  function numberAt(axis, place) {
    const { first, last } = axis;
    if (axis.kind === "log") return first * (last / first) ** place;
    return first + (last - first) * place;
  }

  // A part of an axis; null where there is no such part, or too little of it.
  function partOf(axis, first, last) {
    const part = { ...axis };
    part.first = Math.max(first, axis.first);
    part.last = Math.min(last, axis.last);
    return position(axis, part.last) - position(axis, part.first) >= LEAST ? part : null;
  }

  function range(first, last) {
    return Array.from({ length: Math.max(last - first + 1, 0) }, (_, i) => first + i);
  }

  // Round numbers on an axis, about `most` of them, `least` or more apart.
  function ticksOf({ first, last, kind }, most, least = 0) {
    if (kind === "log" && last > 10 * first) {
      const decades = range(Math.floor(Math.log10(first)), Math.floor(Math.log10(last)));
      const factors = decades.length <= 3 ? [1, 2, 5] : [1];
      const ticks = decades.flatMap((decade) => factors.map((factor) => factor * 10 ** decade));
      return ticks.filter((tick) => first <= tick && tick <= last);
    }
    const apart = Math.max((last - first) / most, least);
    const power = 10 ** Math.floor(Math.log10(apart));
    const decimal = [1, 2, 5, 10].map((factor) => factor * power);
    const steps = kind === "date" && apart <= HOURS.at(-1) ? HOURS : decimal;
    const step = steps.find((each) => each >= apart);
    return range(Math.ceil(first / step), Math.floor(last / step)).map((count) => count * step);
  }

  // A day and a time (UTC), as "2026-01-31 14:00", of days since 1970.
  function dateText(days) {
    const minutes = Math.round(1440 * days);
    return new Date(60_000 * minutes).toISOString().slice(0, 16).replace("T", " ");
  }

  function tickText(number, kind) {
    if (kind === "share") return `${tickText(100 * number)}%`;
    if (kind === "date") return number % 1 ? dateText(number).slice(11) : dateText(number).slice(5, 10);
    const format = Math.abs(number) < 1e6 ? standardTick : compactTick;
    return format.format(number).replace("-", "\u2212");
  }

  function addShape(parent, tag, attributes) {
    const shape = document.createElementNS(parent.namespaceURI, tag);
    for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, value);
    parent.append(shape);
    return shape;
  }

  // Functions that draw the marks of a panel anew, given where a place goes: (x, y) => [x, y].
  function movesOf(panel, right) {
    const moves = [];
    const movePath = (path, down) => {
      const drawn = path.getAttribute("d");
      moves.push((to) => {
        const moved = (_, x, y) => {
          const [newX, newY] = to(Number(x), Number(y) + down);
          return `${newX.toFixed(2)} ${(newY - down).toFixed(2)}`;
        };
        path.setAttribute("d", drawn.replace(PAIR, moved));
      });
    };
    for (const path of panel.querySelectorAll("path[clip-path]")) {
      if (!path.closest("[data-tick]")) movePath(path, 0);
    }
    for (const use of panel.querySelectorAll("[clip-path] > use")) {
      const x = Number(use.getAttribute("x"));
      const y = Number(use.getAttribute("y"));
      if (x === 0) {
        // A band has its places in its own path; that of a marker is its shape.
        movePath(document.getElementById(use.getAttribute("href").slice(1)), y);
        continue;
      }
      moves.push((to) => {
        const [newX, newY] = to(x, y);
        use.setAttribute("x", newX);
        use.setAttribute("y", newY);
      });
    }
    // From a name to the end of its line, which moves: a piece of the line stays beside the name.
    for (const path of panel.querySelectorAll("[data-series] > path:not([clip-path])")) {
      const drawn = path.getAttribute("d");
      const [name] = drawn.match(PAIR);
      moves.push((to, isWhole) => path.setAttribute("d", isWhole ? drawn : `M ${name} H ${right}`));
    }
    return moves;
  }

  function drawTicks(panel, [left, top, right, bottom], view) {
    const ticks = addShape(panel, "g", { class: "ticks" });
    panel.querySelector("[data-tick]").parentNode.before(ticks);
    const draw = (label, grid, mark, x, y, anchor) => {
      addShape(ticks, "path", { d: grid, stroke: "var(--faint)" });
      addShape(ticks, "path", { d: mark, stroke: "var(--soft)" });
      const text = addShape(ticks, "text", { x, y, "text-anchor": anchor });
      text.textContent = label;
    };
    // There is no round 2.5.
    const { horizontal, vertical } = view;
    const least = horizontal.kind === "date" ? HOURS[0] : 1;
    for (const round of ticksOf(horizontal, (right - left) / TICK_WIDTH, least)) {
      const x = left + position(horizontal, round) * (right - left);
      const foot = `M ${x} ${bottom}`;
      const label = tickText(round, horizontal.kind);
      draw(label, `${foot} V ${top}`, `${foot} v 3.5`, x, bottom + 14.2, "middle");
    }
    for (const number of ticksOf(vertical, (bottom - top) / TICK_HEIGHT)) {
      const y = bottom + position(vertical, number) * (top - bottom);
      const foot = `M ${left} ${y}`;
      const label = tickText(number, vertical.kind);
      draw(label, `${foot} H ${right}`, `${foot} h -3.5`, left - 7, y + 3.6, "end");
    }
  }

  // A function that draws a part of a panel: a scale as its whole one, with other ends.
  function redrawing(svg, panel, whole, reset) {
    const { width, height } = svg.viewBox.baseVal;
    const edges = whole.box.map((edge, i) => edge * (i % 2 ? height : width));
    const [left, top, right, bottom] = edges;
    const moves = movesOf(panel, right);
    const oldTicks = panel.querySelectorAll("[data-tick]");
    const button = addShape(panel, "g", { class: "pressable reset", role: "button", tabindex: 0 });
    const text = addShape(button, "text", { x: right - 4, y: top + 11, "text-anchor": "end" });
    text.textContent = "Whole chart";
    button.setAttribute("hidden", "");
    whenPressed(button, () => {
      reset();
      svg.focus({ preventScroll: true }); // the button is gone
    });

    return (view) => {
      const isWhole = view === whole;
      const [x0, x1, y0, y1] = ["horizontal", "vertical"].flatMap((axis) => [
        position(whole[axis], view[axis].first),
        position(whole[axis], view[axis].last),
      ]);
      const to = (x, y) => {
        const across = ((x - left) / (right - left) - x0) / (x1 - x0);
        const up = ((bottom - y) / (bottom - top) - y0) / (y1 - y0);
        return [left + across * (right - left), bottom - up * (bottom - top)];
      };
      for (const move of moves) move(to, isWhole);
      panel.classList.toggle("zoomed", !isWhole);
      button.toggleAttribute("hidden", isWhole);
      panel.querySelector(".ticks")?.remove();
      for (const tick of oldTicks) tick.toggleAttribute("hidden", !isWhole);
      if (!isWhole) drawTicks(panel, edges, view);
    };
  }

  // A function that shows a part of the panels with a number, given as [first, last, low, high], or
  // with null the whole; and keeps it in the view of the page.
  function zooming(figure, panels, key) {
    const parts = new Map(); // {number: part}
    const show = (number, part) => {
      const [first, last, low, high] = part ?? [];
      // One is of the wide chart, and one of the narrow chart.
      for (const panel of panels.filter((each) => each.number === number)) {
        const { whole } = panel;
        const horizontal = partOf(whole.horizontal, first, last);
        const vertical = partOf(whole.vertical, low, high);
        if (part && !(horizontal && vertical)) return;
        panel.view = part ? { ...whole, horizontal, vertical } : whole;
        panel.draw(panel.view);
        parts.delete(number);
        if (part) parts.set(number, part);
      }
    };
    const read = () => [...parts].map((entry) => entry.flat().join(" "));
    keep(key, figure, read, (texts) => {
      for (const number of [...parts.keys()]) show(number, null);
      for (const text of texts) {
        const [number, ...part] = text.split(" ").map(Number);
        show(number, part);
      }
    });

    return (number, part) => {
      show(number, part && part.map((end) => Number(end.toPrecision(6))));
      changed(key);
    };
  }

  // Where a pointer is in a panel, to the right and up: from 0 to 1 inside of it.
  function placeIn({ svg, whole }, event) {
    const frame = svg.getBoundingClientRect();
    const [left, top, right, bottom] = whole.box;
    const x = (event.clientX - frame.left) / frame.width;
    const y = (event.clientY - frame.top) / frame.height;
    return [(x - left) / (right - left), (bottom - y) / (bottom - top)];
  }

  function panelUnder(panels, event) {
    const isInside = (place) => 0 <= place && place <= 1;
    return panels.find((panel) => placeIn(panel, event).every(isInside));
  }

  // Put an element of the figure over a part of a panel, given by such places.
  function cover(element, { svg, whole }, [x0, x1], [y0, y1]) {
    const outer = element.parentElement.getBoundingClientRect();
    const frame = svg.getBoundingClientRect();
    const [left, top, right, bottom] = whole.box;
    const width = frame.width * (right - left);
    const height = frame.height * (bottom - top);
    element.hidden = false;
    element.style.left = `${frame.left - outer.left + frame.width * left + width * x0}px`;
    element.style.top = `${frame.top - outer.top + frame.height * top + height * (1 - y1)}px`;
    element.style.width = `${width * (x1 - x0)}px`;
    element.style.height = `${height * (y1 - y0)}px`;
  }

  // A rectangle that is drawn in a panel with a mouse or a pen is shown alone. A finger scrolls.
  function zoomByPointer(svg, panels, selection, zoom) {
    let panel = null; // where the rectangle is, and its first corner
    let corner = [];

    // The sides of the rectangle: a short one is that of the panel, and null is a click.
    const sidesTo = (event) => {
      const frame = svg.getBoundingClientRect();
      const [left, top, right, bottom] = panel.whole.box;
      const sizes = [frame.width * (right - left), frame.height * (bottom - top)];
      const sides = placeIn(panel, event).map((place, i) => {
        const inside = Math.min(Math.max(place, 0), 1);
        const side = [Math.min(inside, corner[i]), Math.max(inside, corner[i])];
        return (side[1] - side[0]) * sizes[i] < SHORT ? null : side;
      });
      return sides.some(Boolean) ? sides.map((side) => side ?? [0, 1]) : null;
    };
    const end = () => {
      panel = null;
      selection.hidden = true;
      svg.classList.remove("dragged");
    };
    svg.addEventListener("pointerdown", (event) => {
      panel = panelUnder(panels, event);
      if (!panel || event.pointerType === "touch" || event.button) return end();
      corner = placeIn(panel, event);
      svg.classList.add("dragged"); // no text of the chart is selected
    });
    svg.addEventListener("pointermove", (event) => {
      const sides = panel && sidesTo(event);
      selection.hidden = true;
      if (!sides) return;
      svg.setPointerCapture(event.pointerId);
      cover(selection, panel, ...sides);
    });
    svg.addEventListener("pointerup", (event) => {
      const sides = panel && sidesTo(event);
      if (sides) {
        const { horizontal, vertical } = panel.view;
        const across = sides[0].map((place) => numberAt(horizontal, place));
        const up = sides[1].map((place) => numberAt(vertical, place));
        zoom(panel.number, [...across, ...up]);
      }
      end();
    });
    svg.addEventListener("pointercancel", end);
    svg.addEventListener("pointerleave", end);
    svg.addEventListener("dblclick", (event) => {
      const whole = panelUnder(panels, event);
      if (whole) zoom(whole.number, null);
    });
    end();
  }
