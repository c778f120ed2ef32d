"""All that knows Sphinx: directives, roles, nodes, the theme, and what happens when in a build."""
