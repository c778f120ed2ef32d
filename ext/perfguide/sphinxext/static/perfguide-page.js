/* Starts the theme's navigation, as the theme itself does by a script in each page. */
(() => {
  const sticky = document.currentScript.dataset.sticky === "true";
  jQuery(() => SphinxRtdTheme.Navigation.enable(sticky));
})();
