import type { ListAuditQuery } from '@petstore/client';
import { useQuery } from '../../api/query.ts';
import { allKeysQuery } from '../../api/shared-queries.ts';
import { PeriodFields, periodInAddress } from '../../parts/address-field.tsx';
import { FilterBar, KeyFilter } from '../../parts/filter-bar.tsx';
import { queryValue, setFilter } from '../../router.ts';
import { SelectField } from '../../ui/fields/field.tsx';
import { auditWords as words } from '../../words/account/audit.ts';
import { OnlyWorkspace, otherWorkspace } from '../other-workspace.tsx';
import { targetText } from './audit-text.ts';

/** What the address asks for. Anything that it cannot mean is left out. */
export function auditFilter() {
  const action = queryValue('action') ?? '';
  return {
    action: action in words.actions ? (action as ListAuditQuery['action']) : undefined,
    target: queryValue('target'),
    actor: queryValue('actor'),
    ...periodInAddress(),
  } satisfies ListAuditQuery;
}

export function AuditFilters({ names }: { names: ReadonlyMap<string, string> }) {
  const own = useQuery(allKeysQuery).data?.items ?? [];
  const isOwn = otherWorkspace() === undefined;
  const keys = isOwn ? own : [];
  const { action, target = '', actor = '' } = auditFilter();
  return (
    <FilterBar>
      <SelectField
        label={words.action}
        value={action ?? ''}
        options={[['', words.allActions], ...Object.entries(words.actions)]}
        onChange={setFilter('action')}
      />
      <SelectField
        label={words.target}
        value={target}
        missing={targetText(target, names)}
        options={[
          ['', words.allTargets],
          ['workspace', words.targets.workspace],
          ...keys
            .filter(({ parentId }) => parentId === undefined)
            .map(({ id, name }) => [`key:${id}`, words.targets.key(name)] as const),
        ]}
        onChange={setFilter('target')}
      />
      <KeyFilter
        name="actor"
        label={words.who}
        all={words.everyone}
        missing={names.get(actor) ?? actor}
        isOwn={isOwn}
      />
      <PeriodFields />
      <OnlyWorkspace />
    </FilterBar>
  );
}
