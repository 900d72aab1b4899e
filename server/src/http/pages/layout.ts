// The frame of our own pages. They have one style sheet, no script, and nothing from another host.

import { hash } from 'node:crypto';

/** Inter, as the console has it. A service without a built console has none: the pages fall back to the system's font. */
export const FONT_PATH = '/docs/inter.woff2';

/** The font of the console. */
export const FONT_FACE = `@font-face { font-family: "Inter Variable"; font-weight: 100 900; font-display: swap; src: url("${FONT_PATH}") format("woff2") }`;

/** The colours of the console: `console/src/styles/tokens.css`. */
const STYLE = `
${FONT_FACE}
:root { color-scheme: light dark; --ink: #17181c; --dim: #585c66; --paper: #f5f5f6; --card: #fff; --line: #e3e3e7; --accent: #0b6e63; --code: #f1f1f3; --mark: #0b6e63 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #f1f2f4; --dim: #a0a6b0; --paper: #0d0f12; --card: #15181c; --line: #272b32; --accent: #3cc2ae; --code: #1d2126; --mark: #14857a }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 "Inter Variable", system-ui, sans-serif }
main { max-width: 60rem; margin: 0 auto; padding: clamp(1.5rem, 5vw, 4rem) clamp(1rem, 4vw, 2rem) }
header { display: flex; align-items: center; gap: 1rem }
header svg { width: 3rem; height: 3rem; flex: none }
header svg rect { fill: var(--mark) }
h1 { margin: 0; font-size: clamp(1.8rem, 5vw, 2.6rem); line-height: 1.15; letter-spacing: -.02em }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.15rem }
p { margin: .75rem 0; max-width: 44rem }
a { color: var(--accent); text-underline-offset: .15em }
.dim { color: var(--dim) }
.state { display: inline-flex; align-items: center; gap: .5rem; margin: 0; color: var(--dim) }
.state::before { content: ""; width: .6rem; height: .6rem; border-radius: 50%; background: #2f9e5b }
.state.not-ready::before { background: #d9480f }
pre { margin: 0; padding: 1rem; overflow-x: auto; background: var(--code); border: 1px solid var(--line); border-radius: .6rem }
code { font: .9em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: .75rem; margin: 0; padding: 0; list-style: none }
.cards a { display: block; height: 100%; padding: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .6rem; color: inherit; text-decoration: none }
.cards a:hover, .cards a:focus-visible { border-color: var(--accent) }
.cards strong { color: var(--accent) }
section { margin: 0 0 .75rem; padding: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .6rem }
section:target { border-color: var(--accent); box-shadow: 0 0 0 2px var(--accent) }
section h2 { margin: 0 0 .5rem }
section pre { margin: .75rem 0 0 }
.wide { overflow-x: auto; margin-top: .75rem }
table { border-collapse: collapse; font-size: .9rem }
th, td { padding: .4rem .75rem .4rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top }
section h3 { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 0; font-size: 1rem }
section p { margin: .35rem 0 0 }
`;

/** The mark of the console: a paw. */
export const LOGO =
  '<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#0b6e63"/><g fill="#fff"><ellipse cx="10.6" cy="15" rx="2" ry="2.5"/><ellipse cx="14" cy="10.8" rx="2" ry="2.6"/><ellipse cx="18" cy="10.8" rx="2" ry="2.6"/><ellipse cx="21.4" cy="15" rx="2" ry="2.5"/><path d="M16 15.6c-3 0-5.4 2.9-5.4 5.2 0 1.6 1.2 2.4 2.6 2.4 1.1 0 1.8-.5 2.8-.5s1.7.5 2.8.5c1.4 0 2.6-.8 2.6-2.4 0-2.3-2.4-5.2-5.4-5.2z"/></g></svg>';
export const ICON_PATH = '/docs/icon.svg';
export const ICON = LOGO.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ');

export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "img-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function htmlPage({ title, body }: { title: string; body: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${ICON_PATH}" type="image/svg+xml">
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

export function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
  };
  return text.replace(/[&<>"]/g, (character) => entities[character]!);
}

/** Escapes a text and turns its \`code\` into elements. */
export function inlineHtml(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}
