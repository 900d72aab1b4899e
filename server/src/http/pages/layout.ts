// The frame of our own pages. They have one style sheet, no script, and nothing from another host.

import { hash } from 'node:crypto';

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --dim: #5b6675; --paper: #fbfaf7; --card: #fff; --line: #e4e0d8; --accent: #b4461f; --code: #f3f0ea }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e6e1; --dim: #9aa3af; --paper: #16191e; --card: #1e2229; --line: #30363f; --accent: #ff9a6c; --code: #12151a }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, sans-serif }
main { max-width: 60rem; margin: 0 auto; padding: clamp(1.5rem, 5vw, 4rem) clamp(1rem, 4vw, 2rem) }
header { display: flex; align-items: center; gap: 1rem }
header svg { width: 3.5rem; height: 3.5rem; flex: none; fill: var(--accent) }
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

/** A paw print. */
export const LOGO =
  '<svg viewBox="0 0 64 64" aria-hidden="true"><ellipse cx="14" cy="28" rx="6" ry="8"/><ellipse cx="26" cy="15" rx="6" ry="9"/><ellipse cx="40" cy="15" rx="6" ry="9"/><ellipse cx="51" cy="28" rx="6" ry="8"/><path d="M32 28c9 0 19 12 19 20 0 6-5 8-9 8-4 0-6-2-10-2s-6 2-10 2c-4 0-9-2-9-8 0-8 10-20 19-20z"/></svg>';
export const ICON_PATH = '/icon.svg';
export const ICON = LOGO.replace(
  '<svg ',
  '<svg xmlns="http://www.w3.org/2000/svg" fill="#d9622b" ',
);

export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "img-src 'self'",
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
