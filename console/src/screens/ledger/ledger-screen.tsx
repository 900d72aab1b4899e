import type { ListLedgerQuery } from '@petstore/client';
import { useKeyNames, usePets } from '../../api/shared-queries.ts';
import { store } from '../../api/store.ts';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { useList } from '../../parts/use-list.ts';
import { queryValue } from '../../router.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { ledgerWords as words } from '../../words/ledger.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { causeInAddress, LedgerFilters } from './ledger-filters.tsx';
import { LedgerList } from './ledger-list.tsx';

const COLUMNS = [
  'id',
  'at',
  'petId',
  'cause',
  'quantityBefore',
  'quantityAfter',
  'reservedBefore',
  'reservedAfter',
  'orderId',
  'reason',
  'reference',
  'keyId',
] as const;

export function LedgerScreen() {
  const filter = ledgerFilter();
  const ledger = useList('listLedger', filter, (...args) => store.inventory.ledger(...args));
  const pets = usePets(ledger.data?.items.map(({ petId }) => petId));
  const keys = useKeyNames(ledger.data?.items);
  return (
    <>
      <PageHead title={navigationWords.titles.ledger} lead={words.lead}>
        <ExportCsv
          fileName="ledger"
          columns={COLUMNS}
          list={(signal) => store.inventory.ledger({ ...filter, limit: 100 }, { signal })}
        />
      </PageHead>
      <LedgerFilters pets={pets} />
      <LedgerList ledger={ledger} pets={pets} keys={keys} />
    </>
  );
}

/** What the address asks for. Anything that it cannot mean is left out. Days are those of the reader. */
function ledgerFilter(): ListLedgerQuery {
  const petId = Number(queryValue('petId'));
  const cause = causeInAddress();
  const keyId = queryValue('keyId');
  const from = dayStart(queryValue('from'));
  const to = dayStart(queryValue('to'), 1);
  return {
    ...(petId > 0 && { petId }),
    ...(cause && { cause }),
    ...(keyId && { keyId }),
    ...(from && { from }),
    ...(to && { to }),
  };
}

/** The instant at which a day of the reader begins, or the day after it. */
function dayStart(day: string | undefined, offset = 0): string | undefined {
  if (!day || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined;
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  return new Date(year, month - 1, date + offset).toISOString();
}
