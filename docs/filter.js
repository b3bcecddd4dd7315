// On pages of results: a choice of verdicts above the tables of claims. Without it all claims are shown.
(() => {
  const start = () => {
    if (document.querySelector("form.verdicts")) return;
    const tables = [...document.querySelectorAll("table")].filter((table) => {
      const heads = [...table.querySelectorAll("thead th")].map((cell) => cell.textContent.trim());
      return heads[0] === "claim" && heads.at(-1) === "verdict";
    });
    const rows = tables.flatMap((table) => [...table.querySelectorAll("tbody tr")]);
    if (!rows.length) return;

    // "ours: holds (on 10 trials: ...)" belongs to "holds", as in the table of verdicts above.
    const groupOf = (row) => row.lastElementChild.textContent.split(" (")[0].split(": ").at(-1).trim();
    const counts = new Map();
    for (const row of rows) counts.set(groupOf(row), (counts.get(groupOf(row)) ?? 0) + 1);

    const form = document.createElement("form");
    form.className = "verdicts";
    form.append("Show claims that are: ");
    for (const [group, count] of counts) {
      const label = document.createElement("label");
      const box = document.createElement("input");
      Object.assign(box, { type: "checkbox", checked: true, value: group });
      label.append(box, ` ${group} (${count}) `);
      form.append(label);
    }
    form.addEventListener("change", () => {
      const chosen = new Set([...form.querySelectorAll("input:checked")].map((box) => box.value));
      for (const row of rows) row.hidden = !chosen.has(groupOf(row));
    });
    const first = tables[0].closest(".md-typeset__scrollwrap") ?? tables[0];
    const heading = first.previousElementSibling;
    (heading?.matches("h2, h3") ? heading : first).before(form);
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
