import type { ListRequestsQuery, LoggedRequest, Page } from '@petstore/client';
import { NotFoundError } from '../../api/errors.ts';
import { type Known, useKeyNames } from '../../api/shared-queries.ts';
import { store } from '../../api/store.ts';
import { periodInAddress } from '../../parts/address-field.tsx';
import { NoRows } from '../../parts/no-rows.tsx';
import { RecordList } from '../../parts/record-list.tsx';
import { requestPath } from '../../parts/request-link.tsx';
import { sortBy, sortInAddress } from '../../parts/sort-by.ts';
import { type List, useList } from '../../parts/use-list.ts';
import { queryValue } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { curlText } from '../../ui/curl.tsx';
import { Empty } from '../../ui/empty.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { type Column, Name, PastTime } from '../../ui/table.tsx';
import { useNow } from '../../ui/use-now.ts';
import { requestWords as words } from '../../words/account/requests.ts';
import { controlWords } from '../../words/controls.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { otherWorkspace } from '../other-workspace.tsx';
import { RequestFilters, statusInAddress } from './request-filters.tsx';
import { Status, shortPath, whoSent } from './request-parts.tsx';

/** Requests that wrote or were refused. They cost nothing of the plan. */
export function RequestsScreen() {
  const workspaceId = otherWorkspace();
  const isOwn = workspaceId === undefined;
  const list = useList(
    isOwn ? 'listRequests' : 'adminListRequests',
    { ...filterInAddress(), ...(!isOwn && { workspaceId }) },
    (...args) => (isOwn ? store.requests.list(...args) : store.admin.listRequests(...args)),
  );
  // Of the keys of another workspace the ids are known alone.
  const names = useKeyNames(isOwn ? list.data?.items : []);
  const isOff = list.error instanceof NotFoundError;
  return (
    <>
      <PageHead title={navigationWords.titles.requests} lead={words.lead}>
        <Button icon="refresh-cw" onClick={list.refetch}>
          {controlWords.refresh}
        </Button>
      </PageHead>
      {isOff ? (
        <Empty icon="arrow-left-right" title={words.offTitle}>
          <p>{words.offText}</p>
        </Empty>
      ) : (
        <>
          <RequestFilters />
          <RequestList list={list} names={names} />
        </>
      )}
    </>
  );
}

interface RequestListProps {
  list: List<Page<LoggedRequest>>;
  names: Known<string, string>;
}

function RequestList({ list, names }: RequestListProps) {
  const now = useNow();
  return (
    <RecordList
      label={words.listLabel}
      list={list}
      isHeld={names.isPending}
      columns={columnsOf(names, now)}
      keyOf={({ id, at }) => `${id} ${at}`}
      empty={() => (
        <NoRows
          icon="arrow-left-right"
          words={words.noRows}
          isFiltered={list.isFiltered}
          path="/requests"
        >
          <Code>{curlText({ method: 'POST', path: '/categories', body: { name: 'Dogs' } })}</Code>
        </NoRows>
      )}
      onPage={words.onPage}
    />
  );
}

function columnsOf(names: ReadonlyMap<string, string>, now: number): Column<LoggedRequest>[] {
  const who = (request: LoggedRequest) => whoSent(request, names);
  return [
    {
      title: words.columns.request,
      cell: (request) => (
        <>
          <a data-row href={requestPath(request.id, request.workspaceId)} title={request.path}>
            <span class="mono small muted">{request.method}</span>
            {`\u00a0${shortPath(request)}`}
          </a>
          <span class="second only-narrow">
            {controlWords.dotted(who(request), words.vias[request.via])}
          </span>
        </>
      ),
    },
    { title: words.columns.status, cell: (request) => <Status request={request} /> },
    { title: words.columns.key, isWide: true, cell: (request) => <Name>{who(request)}</Name> },
    { title: words.columns.via, isWide: true, cell: ({ via }) => words.vias[via] },
    {
      title: words.columns.took,
      isWide: true,
      align: 'end',
      cell: ({ durationMs }) => words.took(durationMs),
    },
    {
      title: words.columns.when,
      sort: sortBy('at', '-at'),
      align: 'end',
      cell: ({ at }) => <PastTime at={at} now={now} />,
    },
  ];
}

/** What the address asks for. Anything that it cannot mean is left out. */
function filterInAddress(): ListRequestsQuery {
  return {
    sort: sortInAddress(['at', '-at']),
    status: statusInAddress(),
    code: queryValue('code'),
    operationId: queryValue('operationId'),
    keyId: queryValue('keyId'),
    ...periodInAddress(),
  };
}
