import { useState } from 'preact/hooks';
import { BASE } from '../../router.ts';
import { BackLink } from '../../ui/back-link.tsx';
import { Button } from '../../ui/button.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { countWords as words } from '../../words/count.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { CountList } from './count-list.tsx';
import { counting, resumeCount } from './counting.ts';
import { StartForm } from './start-form.tsx';

/** Counts the stock of many pets in one go. */
export function CountScreen() {
  useState(resumeCount);
  const current = counting.value;
  return (
    <div class="stack narrow-page">
      <BackLink href={`${BASE}/inventory`}>{navigationWords.titles.inventory}</BackLink>
      <PageHead title={navigationWords.titles.count} lead={current?.title ?? words.lead}>
        {current && (
          <Button icon="printer" onClick={() => print()}>
            {words.print}
          </Button>
        )}
      </PageHead>
      {current ? <CountList rows={current.rows} /> : <StartForm />}
    </div>
  );
}
