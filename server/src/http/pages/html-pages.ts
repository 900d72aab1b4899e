import { introduction, type Section, SUMMARY } from '../../contract/introduction.ts';
import { ERRORS_PATH, GUIDE_PATH } from '../../contract/links.ts';
import { API_PREFIX, API_VERSION } from '../../contract/version.ts';
import { errorCodes, errorTable } from '../../domain/errors.ts';
import type { Operation } from '../../operations/operation.ts';
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

interface FrontPageOptions {
  /** Scheme and host, as the visitor used them. */
  origin: string;
  isReady: boolean;
  operations: readonly Operation[];
}

const links = [
  [GUIDE_PATH, 'Introduction', 'Keys, paging, errors, limits, retries.'],
  ['/docs', 'Reference', 'Every operation, to try out.'],
  [ERRORS_PATH, 'Errors', 'Every code, what it means and what to do.'],
  ['/openapi.json', 'OpenAPI', 'The contract, for generators and tools.'],
  ['/openapi.yaml', 'OpenAPI as YAML', 'The same contract, for reading.'],
  ['/readyz', 'Readiness', 'Whether the service can answer requests.'],
] as const;

export function frontPage({ origin, isReady, operations }: FrontPageOptions): string {
  const first = operations.find(({ kind, list }) => kind === 'read' && list)!;
  const url = escapeHtml(`${origin}${API_PREFIX}${first.path}`);
  const cards = links.map(
    ([path, name, text]) =>
      `<li><a href="${path}"><strong>${name}</strong><br><span class="dim">${text}</span></a></li>`,
  );
  return htmlPage({
    title: 'Pet Store',
    body: `<header>${LOGO}<div><h1>Pet Store</h1>
<p class="state${isReady ? '' : ' not-ready'}">${isReady ? 'Ready' : 'Not ready'} · version ${API_VERSION}</p></div></header>
<p>${SUMMARY}</p>
<h2>A first request</h2>
<pre><code>export API_KEY=psk_…
curl -H "Authorization: Bearer $API_KEY" ${url}</code></pre>
<p class="dim">The first start prints a key; <code>petstore server keys create</code> makes another.</p>
<h2>Where to go</h2>
<ul class="cards">
${cards.join('\n')}
</ul>`,
  });
}
