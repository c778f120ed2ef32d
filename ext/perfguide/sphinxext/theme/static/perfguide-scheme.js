/* Chooses dark or light colours: those that the reader's system prefers, or that the reader chose here. */
(() => {
  const root = document.documentElement;
  const key = "perfguide-scheme";
  const system = window.matchMedia("(prefers-color-scheme: dark)");

  const stored = () => {
    try {
      return window.localStorage.getItem(key);
    } catch {
      return null; // the browser may refuse storage
    }
  };

  const keep = (scheme) => {
    try {
      if (scheme) window.localStorage.setItem(key, scheme);
      else window.localStorage.removeItem(key);
    } catch {
      // Without storage, the choice holds for this page only.
    }
  };

  const choose = (scheme) => {
    if (scheme === "dark" || scheme === "light") root.dataset.scheme = scheme;
    else delete root.dataset.scheme;
  };

  const dark = () => (root.dataset.scheme ?? (system.matches ? "dark" : "light")) === "dark";

  choose(stored());
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector(".perf-scheme");
    if (!button) return;
    // The label names the action, so aria-pressed would only repeat the state.
    const show = () => { button.textContent = dark() ? "Light colours" : "Dark colours"; };
    button.hidden = false;
    button.addEventListener("click", () => {
      const wanted = dark() ? "light" : "dark";
      // A reader who returns to the system's choice follows the system again.
      const chosen = (wanted === "dark") === system.matches ? null : wanted;
      choose(chosen);
      keep(chosen);
      show();
    });
    system.addEventListener("change", show);
    window.addEventListener("storage", (event) => {
      if (event.key === key) {
        choose(event.newValue);
        show();
      }
    });
    show();
  });
})();
