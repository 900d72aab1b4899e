import type { WithResponse, Workspace } from '@petstore/client';
import { useState } from 'preact/hooks';
import { NotFoundError } from '../../api/errors.ts';
import { useQuery } from '../../api/query.ts';
import { store } from '../../api/store.ts';
import { DownloadLink } from '../../parts/download-link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { BASE } from '../../router.ts';
import type { ScreenProps } from '../../routes.ts';
import { BackLink } from '../../ui/back-link.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Facts } from '../../ui/facts.tsx';
import { dateTime, number } from '../../ui/format.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { limitWords } from '../../words/shell/limits.ts';
import { workspaceWords as words } from '../../words/workspaces.ts';
import { EditWorkspace } from './edit-workspace.tsx';
import { GrantDialog } from './grant-dialog.tsx';
import { WorkspaceState } from './workspace-state.tsx';

export function WorkspaceScreen({ id }: ScreenProps) {
  const workspaceId = Number(id);
  const workspace = useQuery<WithResponse<Workspace>>({
    key: ['adminGetWorkspace', workspaceId],
    read: (signal) => store.admin.getWorkspace(workspaceId, { signal }).withResponse(),
  });
  const [isGranting, setGranting] = useState(false);
  return (
    <>
      <BackLink href={`${BASE}/workspaces`}>{words.back}</BackLink>
      <PageHead title={words.number(workspaceId)} lead={workspace.data?.data.name ?? '\u00a0'} />
      {workspace.error instanceof NotFoundError ? (
        <Empty icon="building-2" title={words.goneTitle}>
          <p>{words.goneText}</p>
        </Empty>
      ) : (
        <Loaded query={workspace} rows={8}>
          {(opened) => (
            <div class="columns wide-right top">
              <div class="stack">
                <Card title={words.factsTitle}>
                  <WorkspaceFacts workspace={opened.data} />
                  <div class="actions">
                    <Button size="small" onClick={() => setGranting(true)}>
                      {words.grant.add}
                    </Button>
                    <LinkButton href={`${BASE}/requests?workspaceId=${workspaceId}`} size="small">
                      {words.requests}
                    </LinkButton>
                    <LinkButton href={`${BASE}/audit?workspaceId=${workspaceId}`} size="small">
                      {words.audit}
                    </LinkButton>
                    <DownloadLink path={`/admin/workspaces/${workspaceId}/export`} size="small">
                      {words.download}
                    </DownloadLink>
                  </div>
                </Card>
                <WorkspaceState workspace={opened.data} />
              </div>
              <EditWorkspace opened={opened} />
              {isGranting && (
                <GrantDialog workspace={opened.data} onClose={() => setGranting(false)} />
              )}
            </div>
          )}
        </Loaded>
      )}
    </>
  );
}

function WorkspaceFacts({ workspace }: { workspace: Workspace }) {
  const { createdAt, grant, limits, lowStockAt, plan } = workspace;
  return (
    <Facts
      facts={[
        [words.plan, limitWords.plans[plan] ?? plan],
        [words.facts.limits, words.limits(limits.perMinute, limits.perDay)],
        ...(grant
          ? [[words.grant.fact, words.grant.until(grant.perDay, dateTime(grant.endsAt))] as const]
          : []),
        [words.facts.lowStockAt, lowStockAt === undefined ? words.lowNever : number(lowStockAt)],
        [words.facts.created, dateTime(createdAt)],
      ]}
    />
  );
}
