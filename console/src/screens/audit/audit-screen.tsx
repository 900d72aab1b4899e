import type { AuditEntry } from '@petstore/client';
import { useKeyNames } from '../../api/shared-queries.ts';
import { store } from '../../api/store.ts';
import { DownloadLink } from '../../parts/download-link.tsx';
import { NoRows } from '../../parts/no-rows.tsx';
import { RecordList } from '../../parts/record-list.tsx';
import { RequestLink } from '../../parts/request-link.tsx';
import { sortBy, sortInAddress } from '../../parts/sort-by.ts';
import { useList } from '../../parts/use-list.ts';
import { hrefWith } from '../../router.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { type Column, Name, PastTime } from '../../ui/table.tsx';
import { useNow } from '../../ui/use-now.ts';
import { auditWords as words } from '../../words/account/audit.ts';
import { controlWords } from '../../words/controls.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { otherWorkspace } from '../other-workspace.tsx';
import { AuditFilters, auditFilter } from './audit-filters.tsx';
import { changesText, targetText, whoText } from './audit-text.ts';

export function AuditScreen() {
  const now = useNow();
  const filter = auditFilter();
  const workspaceId = otherWorkspace();
  const isOwn = workspaceId === undefined;
  const list = useList(
    isOwn ? 'listAudit' : 'adminListAudit',
    { ...filter, sort: sortInAddress(['at', '-at']), ...(!isOwn && { workspaceId }) },
    (...args) => (isOwn ? store.audit.list(...args) : store.admin.listAudit(...args)),
  );
  const exported = (format: string) => ({
    path: isOwn ? '/audit/export' : '/admin/audit/export',
    query: { ...filter, format, ...(!isOwn && { workspaceId: String(workspaceId) }) },
  });
  const keyIds = list.data?.items.flatMap(({ target }) => /^key:(.+)/s.exec(target)?.[1] ?? []);
  const names = useKeyNames(isOwn ? keyIds?.map((keyId) => ({ keyId })) : []);
  return (
    <>
      <PageHead title={navigationWords.titles.audit} lead={words.lead}>
        <DownloadLink {...exported('csv')}>{words.exportCsv}</DownloadLink>
        <DownloadLink {...exported('ndjson')}>{words.exportLines}</DownloadLink>
      </PageHead>
      <AuditFilters names={names} />
      <RecordList
        label={words.listLabel}
        list={list}
        isHeld={names.isPending}
        columns={columnsOf(names, now)}
        keyOf={({ id }) => id}
        empty={() => (
          <NoRows icon="history" words={words.noRows} isFiltered={list.isFiltered} path="/audit" />
        )}
        onPage={words.onPage}
      />
    </>
  );
}

/** The workspace whose log has the request; undefined for the own one. Those of operators are in their own. */
const senderOf = ({ actor, workspaceId }: AuditEntry) =>
  actor.type === 'operator' ? undefined : workspaceId;

function columnsOf(names: ReadonlyMap<string, string>, now: number): Column<AuditEntry>[] {
  const target = (row: AuditEntry) => (
    <a class="plain" href={hrefWith({ target: row.target, cursor: undefined })}>
      {targetText(row.target, names)}
    </a>
  );
  return [
    {
      title: words.columns.what,
      cell: (row) => (
        <>
          <span class="strong">{words.actions[row.action] ?? row.action}</span>
          {changesText(row, names).map((text) => (
            <span key={text} class="second" title={text}>
              {text}
            </span>
          ))}
          <span class="second only-narrow">{target(row)}</span>
          <span class="second only-narrow">{controlWords.dotted(whoText(row), row.address)}</span>
          {row.requestId !== undefined && (
            <span class="second only-narrow">
              <RequestLink id={row.requestId} workspaceId={senderOf(row)} />
            </span>
          )}
        </>
      ),
    },
    { title: words.columns.target, isWide: true, cell: target },
    {
      title: words.columns.who,
      isWide: true,
      cell: (row) => (
        <>
          <Name>{whoText(row)}</Name>
          {row.address !== undefined && <span class="second">{row.address}</span>}
        </>
      ),
    },
    {
      title: words.columns.request,
      isWide: true,
      cell: (row) =>
        row.requestId !== undefined && (
          <RequestLink id={row.requestId} workspaceId={senderOf(row)} isShort />
        ),
    },
    {
      title: words.columns.when,
      sort: sortBy('at', '-at'),
      align: 'end',
      cell: ({ at }) => <PastTime at={at} now={now} />,
    },
  ];
}
