import { introduction, type Section, SUMMARY } from '../../contract/introduction.ts';
import { errorCodes, errorTable } from '../../domain/errors.ts';
import { escapeHtml, htmlPage, inlineHtml, LOGO } from './layout.ts';

/** The introduction of the reference as a page that needs no script. Responses link to its sections. */
export function guidePage(): string {
  const contents = introduction.map(({ id, title }) => `<a href="#${id}">${title}</a>`).join(' · ');
  return htmlPage({
    title: 'Introduction · Pet Store',
    body: `<header>${LOGO}<h1>Introduction</h1></header>
<p>${SUMMARY} The <a href="/docs">reference</a> describes every operation.</p>
<p>${contents}</p>
${introduction.map(sectionHtml).join('\n')}`,
  });
}

function sectionHtml({ id, title, text, command, output, table }: Section): string {
  const paragraphs = text.map((paragraph) => `<p>${inlineHtml(paragraph)}</p>`);
  const blocks = [command, output?.join('\n')].map((block) =>
    block ? `<pre><code>${escapeHtml(block)}</code></pre>` : '',
  );
  return `<section id="${id}">
<h2>${title}</h2>
${[...paragraphs, ...blocks].join('\n')}
${table ? tableHtml(table) : ''}
</section>`;
}

function tableHtml({ head, rows }: NonNullable<Section['table']>): string {
  const row = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${inlineHtml(cell)}</${tag}>`).join('')}</tr>`;
  return `<div class="wide"><table>${row(head, 'th')}${rows.map((cells) => row(cells, 'td')).join('')}</table></div>`;
}

/** The error table. Each code has its own section, which `docUrl` of an error links to. */
export function errorsPage(): string {
  const sections = errorCodes.map((code) => {
    const { status, message, remedy } = errorTable[code];
    return `<section id="${code}">
<h3><code>${code}</code> <span class="dim">${status}</span></h3>
<p>${inlineHtml(message)}</p>
<p><strong>What to do:</strong> ${inlineHtml(remedy)}</p>
</section>`;
  });
  return htmlPage({
    title: 'Errors · Pet Store',
    body: `<header>${LOGO}<h1>Errors</h1></header>
<p>Every error is one JSON object: <code>code</code> for programs, <code>message</code> for people, the
<code>status</code>, the <code>requestId</code>, the <code>docUrl</code> of its entry here, and <code>details</code> where
there are any. New codes may be added: treat an unknown one by its status.</p>
<p><a href="/docs">Back to the reference</a></p>
${sections.join('\n')}`,
  });
}
