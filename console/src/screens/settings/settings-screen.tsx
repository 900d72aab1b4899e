import type { WithResponse, Workspace } from '@petstore/client';
import { useQuery } from '../../api/query.ts';
import { scopeReason, session } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { DownloadLink } from '../../parts/download-link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { BASE } from '../../router.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/facts.tsx';
import { SelectField } from '../../ui/fields/field.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { settingsWords as words } from '../../words/account/settings.ts';
import { limitWords } from '../../words/shell/limits.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { workspaceWords } from '../../words/workspaces.ts';
import { browserZone, chartZone, setChartZone, UTC } from '../chart-zone.ts';
import { DangerZone } from './danger-zone.tsx';
import { StoreForm } from './store-form.tsx';

export function SettingsScreen() {
  const workspace = useQuery<WithResponse<Workspace>>({
    key: ['getWorkspace'],
    read: (signal) => store.workspace.get({ signal }).withResponse(),
  });
  return (
    <>
      <PageHead title={navigationWords.titles.settings} lead={words.lead} />
      <div class="settings">
        <Card title={words.store} subtitle={words.storeNote}>
          <Loaded query={workspace} rows={5}>
            {(opened) => <StoreForm opened={opened} />}
          </Loaded>
        </Card>
        <PlanCard />
        <ChartsCard />
        <DataCard />
        <DangerZone />
      </div>
    </>
  );
}

function PlanCard() {
  const { plan, limits } = session.value!;
  return (
    <Card
      title={words.plan}
      aside={<LinkButton href={`${BASE}/plan`}>{words.changePlan}</LinkButton>}
    >
      <Facts
        facts={[
          [words.plan, limitWords.plans[plan] ?? plan],
          [words.limits, workspaceWords.limits(limits.perMinute, limits.perDay)],
        ]}
      />
    </Card>
  );
}

/** All that the workspace has, as one file. A workspace that is closing can still be downloaded. */
function DataCard() {
  return (
    <Card title={words.data} subtitle={words.dataNote}>
      <div class="actions">
        <DownloadLink
          path="/workspace/export"
          offReason={scopeReason('manage', { whileClosing: true })}
        >
          {words.download}
        </DownloadLink>
      </div>
    </Card>
  );
}

/** It is kept at once, in this browser alone. */
function ChartsCard() {
  const own = browserZone();
  const others = Intl.supportedValuesOf('timeZone').filter((zone) => zone !== own && zone !== UTC);
  return (
    <Card title={words.charts} subtitle={words.chartsNote}>
      <SelectField
        label={words.zone}
        hint={words.zoneHint}
        value={chartZone.value}
        options={[
          [UTC, UTC],
          ...(own === UTC ? [] : [[own, words.browserZone(own)] as const]),
          ...others.map((zone) => [zone, zone] as const),
        ]}
        onChange={setChartZone}
      />
    </Card>
  );
}
