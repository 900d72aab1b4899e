import type { ListLedgerQuery } from '@petstore/client';
import { useKeyNames, usePets } from '../../api/shared-queries.ts';
import { store } from '../../api/store.ts';
import { periodInAddress } from '../../parts/address-field.tsx';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { sortInAddress } from '../../parts/sort-by.ts';
import { useList } from '../../parts/use-list.ts';
import { queryNumber, queryValue } from '../../router.ts';
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

/** What the address asks for. Anything that it cannot mean is left out. */
function ledgerFilter(): ListLedgerQuery {
  return {
    sort: sortInAddress(['id', '-id']),
    petId: queryNumber('petId'),
    cause: causeInAddress(),
    keyId: queryValue('keyId'),
    ...periodInAddress(),
  };
}
