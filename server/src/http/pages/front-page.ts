import { SUMMARY } from '../../contract/introduction.ts';
import { ERRORS_PATH, GUIDE_PATH } from '../../contract/links.ts';
import { API_PREFIX, API_VERSION } from '../../contract/version.ts';
import type { Operation } from '../../operations/operation.ts';
import { escapeHtml, htmlPage, LOGO } from './layout.ts';

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
