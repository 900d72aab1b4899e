import type { LoggedRequest } from '@petstore/client';
import { NotFoundError } from '../../api/errors.ts';
import { useQuery } from '../../api/query.ts';
import { useKeyNames } from '../../api/shared-queries.ts';
import { store } from '../../api/store.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { BASE } from '../../router.ts';
import type { ScreenProps } from '../../routes.ts';
import { BackLink } from '../../ui/back-link.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Copy } from '../../ui/copy.tsx';
import { AsCurl } from '../../ui/curl.tsx';
import { Empty } from '../../ui/empty.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { dateTimeSeconds } from '../../ui/format.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { requestWords as words } from '../../words/account/requests.ts';
import { controlWords } from '../../words/controls.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { otherWorkspace } from '../other-workspace.tsx';
import { recordOf, Status, shortPath, whoSent } from './request-parts.tsx';

/** All that is known about one request. */
export function RequestScreen({ id = '' }: ScreenProps) {
  const workspaceId = otherWorkspace();
  const isOwn = workspaceId === undefined;
  const request = useQuery<LoggedRequest>({
    key: ['getRequest', id, workspaceId],
    read: (signal) =>
      isOwn
        ? store.requests.get(id, { signal })
        : store.admin.getRequest(id, { workspaceId }, { signal }),
    isFree: true,
  });
  const { data } = request;
  // The keys and records of another workspace are not known here.
  const names = useKeyNames(isOwn && data ? [data] : []);
  const record = isOwn && data ? recordOf(data) : undefined;
  return (
    <>
      <BackLink href={`${BASE}/requests${isOwn ? '' : `?workspaceId=${workspaceId}`}`}>
        {words.back}
      </BackLink>
      <PageHead
        title={navigationWords.titles.request}
        lead={data ? words.title(data.method, shortPath(data)) : id}
      >
        {record && <LinkButton href={BASE + record.path}>{words.records[record.kind]}</LinkButton>}
      </PageHead>
      {request.error instanceof NotFoundError ? (
        <Empty icon="arrow-left-right" title={words.goneTitle}>
          <p>{words.goneText}</p>
          <Button icon="refresh-cw" onClick={request.refetch}>
            {controlWords.retry}
          </Button>
        </Empty>
      ) : (
        <Loaded query={request} rows={8} isHeld={names.isPending}>
          {(shown) => (
            <div class="columns wide-left top">
              <Card title={words.about} subtitle={words.aboutNote}>
                <Facts facts={factsOf(shown, whoSent(shown, names))} />
                <div class="actions">
                  <Copy text={shown.id} label={words.copyId} />
                </div>
                <AsCurl method="GET" path={apiPath(shown)} />
              </Card>
              <Similar request={shown} who={whoSent(shown, names)} />
            </div>
          )}
        </Loaded>
      )}
    </>
  );
}

/** Where the API has it: an operator names its workspace. */
function apiPath({ id, workspaceId }: LoggedRequest): string {
  const path = `/requests/${encodeURIComponent(id)}`;
  return workspaceId === undefined ? path : `/admin${path}?workspaceId=${workspaceId}`;
}

function factsOf(request: LoggedRequest, who: string): Fact[] {
  const facts = words.facts;
  const { route, operationId, address, traceId } = request;
  const optional: readonly (readonly [string, string | undefined])[] = [
    [facts.operation, operationId],
    [facts.route, route],
    [facts.address, address],
    [facts.trace, traceId],
  ];
  return [
    [facts.at, dateTimeSeconds(request.at)],
    [
      facts.status,
      <span key="status" class="row">
        <Status request={request} />
      </span>,
    ],
    [
      facts.key,
      request.keyId === undefined || request.workspaceId !== undefined ? (
        who
      ) : (
        <a href={`${BASE}/keys`}>{who}</a>
      ),
    ],
    [facts.via, words.vias[request.via]],
    [facts.took, words.took(request.durationMs)],
    [facts.received, words.bytes(request.requestBytes)],
    [facts.sent, words.bytes(request.responseBytes)],
    [facts.replay, request.isReplay ? words.replayed : words.notReplayed],
    ...optional.flatMap(([term, value]) => (value === undefined ? [] : [[term, value] as const])),
    [facts.id, request.id],
  ];
}

/** The list of requests that have something in common with this one. */
function Similar({ request, who }: { request: LoggedRequest; who: string }) {
  const { status, code, operationId, keyId, workspaceId } = request;
  const whose = workspaceId === undefined ? '' : `&workspaceId=${workspaceId}`;
  const links: readonly (readonly [name: string, value: string | undefined, text: string])[] = [
    ['status', String(status), words.sameStatus(status)],
    ['code', code, words.sameCode(code ?? '')],
    ['operationId', operationId, words.sameOperation(operationId ?? '')],
    ['keyId', keyId, words.sameKey(who)],
  ];
  return (
    <Card title={words.same}>
      <ul class="rows">
        {links.map(
          ([name, value, text]) =>
            value !== undefined && (
              <li key={name}>
                <a href={`${BASE}/requests?${name}=${encodeURIComponent(value)}${whose}`}>{text}</a>
              </li>
            ),
        )}
      </ul>
    </Card>
  );
}
