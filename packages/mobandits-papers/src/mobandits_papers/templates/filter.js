// Shows the claims of the chosen verdicts only. Without it the form stays hidden, and every claim is shown.
for (const form of document.querySelectorAll("form.filter")) {
  const rows = [...document.querySelectorAll("tr[data-group]")];
  const shown = form.querySelector("output");
  const apply = () => {
    const chosen = new Set([...form.querySelectorAll("input:checked")].map((box) => box.value));
    for (const row of rows) row.hidden = !chosen.has(row.dataset.group);
    shown.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} claims`;
  };
  form.addEventListener("change", apply);
  form.hidden = false;
  apply();
}
