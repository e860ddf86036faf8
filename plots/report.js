"use strict";
// Headings become buttons that sort their column: numbers by data-value, words as they read, figures in them by their
// size; what has no value stays last.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const up = heading.getAttribute("aria-sort") !== "ascending";
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = (row) => {
        const cell = row.cells[column];
        return heading.classList.contains("number") || "value" in cell.dataset
          ? ("value" in cell.dataset ? Number(cell.dataset.value) : null)
          : cell.textContent;
      };
      const order = (a, b) => {
        const x = key(a), y = key(b);
        if (x === null || y === null) return (x === null) - (y === null);
        const by = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), undefined, {numeric: true});
        return up ? by : -by;
      };
      body.append(...[...body.rows].sort(order));
    });
  });
}
// Paper can't be opened: what is closed on the screen is open on it.
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details:not([open])")) {
    details.open = true;
    addEventListener("afterprint", () => { details.open = false; }, {once: true});
  }
});
