import { errorCodes, errorTable } from '../../domain/errors.ts';
import { htmlPage, inlineHtml, LOGO } from './layout.ts';

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
