"use strict";
// Show the answers that the form asks for; a question without one is hidden.
(() => {
  const form = document.getElementById("filters");
  if (!form) return;
  form.hidden = false;
  const status = document.getElementById("shown");
  const questions = [...document.querySelectorAll(".question")].map((node) => ({
    node,
    text: null,
    answers: [...node.querySelectorAll(".answer")].map((item) => ({ node: item, text: null })),
  }));
  const total = questions.reduce((sum, question) => sum + question.answers.length, 0);
  const textOf = (part) => (part.text ??= part.node.textContent.toLowerCase());

  const matches = (node, wanted) =>
    Object.entries(wanted).every(([name, value]) => !(name in node.dataset) || node.dataset[name] === value);

  function apply() {
    const wanted = {};
    for (const select of form.querySelectorAll("select")) if (select.value) wanted[select.name] = select.value;
    const words = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    let asked = 0;
    for (const question of questions) {
      const open = matches(question.node, wanted);
      const head = words.length && open ? question.node.querySelector(".asked").textContent.toLowerCase() : "";
      let own = 0;
      for (const answer of question.answers) {
        const fits =
          open &&
          matches(answer.node, wanted) &&
          words.every((word) => head.includes(word) || textOf(answer).includes(word));
        answer.node.hidden = !fits;
        own += fits;
      }
      question.node.hidden = own === 0;
      shown += own;
      asked += own > 0;
    }
    status.textContent = `${shown} of ${total} answers to ${asked} of ${questions.length} probes are shown.`;
  }

  let waiting;
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(apply, 120);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply, 0));
  document.getElementById("open-all").addEventListener("click", () => {
    for (const question of questions) if (!question.node.hidden) question.node.querySelector("details").open = true;
  });
  document.getElementById("close-all").addEventListener("click", () => {
    for (const node of document.querySelectorAll(".question details")) node.open = false;
  });
  apply();
})();
