/* The list of a class: sorted by any column, searched by any words. Without this script it is a plain table. */
(() => {
  "use strict";
  const table = document.querySelector(".list");
  const body = table.tBodies[0];
  const headings = [...table.tHead.rows[0].cells];
  const rows = [...body.rows];
  const order = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

  const key = (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent.trim();

  const sortBy = (column, descending) => {
    const sign = descending ? -1 : 1;
    const byNumber = headings[column].classList.contains("number");
    rows.sort((a, b) => {
      const [first, second] = [key(a, column), key(b, column)];
      if (first === "" || second === "") return (first === "") - (second === ""); // nothing to compare comes last
      return sign * (byNumber ? first - second : order.compare(first, second));
    });
    body.append(...rows);
    headings.forEach((heading, place) => {
      if (place === column) heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else heading.removeAttribute("aria-sort");
    });
  };

  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => sortBy(column, heading.getAttribute("aria-sort") === "ascending"));
    heading.append(button);
  });
  headings[0].setAttribute("aria-sort", "ascending");

  const search = document.getElementById("search");
  const told = document.getElementById("shown");
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  search.closest(".find").hidden = false;
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      row.hidden = !words.every((word) => texts.get(row).includes(word));
      count += !row.hidden;
    }
    told.textContent = words.length ? `${count} of ${rows.length}` : "";
  });
})();
