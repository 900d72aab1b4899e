import type { ComponentChildren } from 'preact';

export type Fact = readonly [term: string, value: ComponentChildren];

/** Names and values of one record. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="fact-grid">
      {facts.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
