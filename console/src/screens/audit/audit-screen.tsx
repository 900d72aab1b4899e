import type { AuditEntry } from '@petstore/client';
import { useKeyNames } from '../../api/shared-queries.ts';
import { store } from '../../api/store.ts';
import { DownloadLink } from '../../parts/download-link.tsx';
import { NoRows } from '../../parts/no-rows.tsx';
import { RecordList } from '../../parts/record-list.tsx';
import { RequestLink } from '../../parts/request-link.tsx';
import { useList } from '../../parts/use-list.ts';
import { hrefWith } from '../../router.ts';
import { dateTime, past } from '../../ui/format.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { type Column, Name } from '../../ui/table.tsx';
import { useNow } from '../../ui/use-now.ts';
import { auditWords as words } from '../../words/account/audit.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { AuditFilters, auditFilter } from './audit-filters.tsx';
import { changesText, targetText, whoText } from './audit-text.ts';

export function AuditScreen() {
  const now = useNow();
  const filter = auditFilter();
  const list = useList('listAudit', filter, (...args) => store.audit.list(...args));
  const keyIds = list.data?.items.flatMap(({ target }) => /^key:(.+)/s.exec(target)?.[1] ?? []);
  const names = useKeyNames(keyIds?.map((keyId) => ({ keyId })));
  return (
    <>
      <PageHead title={navigationWords.titles.audit} lead={words.lead}>
        <DownloadLink path="/audit/export" query={{ ...filter, format: 'csv' }}>
          {words.exportCsv}
        </DownloadLink>
        <DownloadLink path="/audit/export" query={{ ...filter, format: 'ndjson' }}>
          {words.exportLines}
        </DownloadLink>
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
          <span class="second only-narrow">
            {[whoText(row), row.address].filter(Boolean).join(' · ')}
          </span>
          {row.requestId !== undefined && (
            <span class="second only-narrow">
              <RequestLink id={row.requestId} />
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
      cell: ({ requestId }) => requestId !== undefined && <RequestLink id={requestId} isShort />,
    },
    {
      title: words.columns.when,
      align: 'end',
      cell: ({ at }) => (
        <time dateTime={at} title={dateTime(at)}>
          {past(at, now)}
        </time>
      ),
    },
  ];
}
