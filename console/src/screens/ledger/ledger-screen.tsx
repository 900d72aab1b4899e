import type { ListLedgerQuery } from '@petstore/client';
import { readKeyNamesOf, readPetsOf, useKeyNames, usePets } from '../../api/shared-queries.ts';
import { store } from '../../api/store.ts';
import { periodInAddress } from '../../parts/address-field.tsx';
import { EXPORT_PAGE, ExportCsv } from '../../parts/export-csv.tsx';
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
  'pet',
  'cause',
  'quantityBefore',
  'quantityAfter',
  'reservedBefore',
  'reservedAfter',
  'orderId',
  'reason',
  'reference',
  'keyId',
  'key',
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
          list={(signal) => store.inventory.ledger({ ...filter, limit: EXPORT_PAGE }, { signal })}
          shown={ledger.data}
          withNames={{
            requests: 2,
            add: async (rows, signal) => {
              const [named, makers] = await Promise.all([
                readPetsOf(rows, signal),
                readKeyNamesOf(rows, signal),
              ]);
              return rows.map((row) => ({
                ...row,
                pet: named.get(row.petId)?.name,
                key: makers.get(row.keyId ?? ''),
              }));
            },
          }}
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
