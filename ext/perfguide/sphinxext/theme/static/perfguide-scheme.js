/* Dark or light: what the reader's system prefers, or what the reader chose here. */
(() => {
  const root = document.documentElement;
  const key = "perfguide-scheme";
  const system = window.matchMedia("(prefers-color-scheme: dark)");

  const stored = () => {
    try {
      return window.localStorage.getItem(key);
    } catch {
      return null; // a browser may keep nothing
    }
  };

  const keep = (scheme) => {
    try {
      if (scheme) window.localStorage.setItem(key, scheme);
      else window.localStorage.removeItem(key);
    } catch {
      // The choice then holds for this page.
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
    // It says what it does; a state beside a name that changes would be told twice.
    const show = () => { button.textContent = dark() ? "Light colours" : "Dark colours"; };
    button.hidden = false;
    button.addEventListener("click", () => {
      const wanted = dark() ? "light" : "dark";
      // Who goes back to what the system prefers follows the system again.
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
