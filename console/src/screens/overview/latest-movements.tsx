import { useQuery } from '../../api/query.ts';
import { keysQuery, nameIn, useKeyNames } from '../../api/shared-queries.ts';
import { FirstPet } from '../../parts/first-pet.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { BASE } from '../../router.ts';
import { Card } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { past } from '../../ui/format.ts';
import { Icon } from '../../ui/icons/icon.tsx';
import { Name, Table } from '../../ui/table.tsx';
import { useNow } from '../../ui/use-now.ts';
import { overviewWords as words } from '../../words/overview.ts';
import { Cause, changeText, whoOf, whyOf } from '../movement.tsx';
import { movementsQuery, useNamedPets } from './overview-queries.ts';

export function LatestMovements() {
  const movements = useQuery(movementsQuery);
  const pets = useNamedPets();
  const keys = useKeyNames([], keysQuery);
  const now = useNow(10_000);
  const nameOf = (petId: number) => nameIn(pets, petId);
  return (
    <Card
      title={words.latest}
      isFlush
      aside={
        <a class="more-link" href={`${BASE}/ledger`}>
          {words.wholeLedger} <Icon name="chevron-right" size={14} />
        </a>
      }
    >
      <Loaded query={movements} rows={8} isHeld={pets.isPending || keys.isPending}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="scroll-text" title={words.noMovements}>
              <p>{words.noMovementsNote}</p>
              <p>{words.firstPet}</p>
              <FirstPet />
            </Empty>
          ) : (
            <Table
              label={words.latest}
              rows={items}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: words.columns.cause,
                  cell: (row) => <Cause movement={row} />,
                  isBare: true,
                },
                {
                  title: words.columns.pet,
                  isBare: true,
                  cell: (row) => (
                    <>
                      <a data-row href={`${BASE}/inventory?pet=${row.petId}`}>
                        {nameOf(row.petId)}
                      </a>
                      <span class="second">{whyOf(row)}</span>
                    </>
                  ),
                },
                { title: words.columns.change, cell: changeText, align: 'end', isBare: true },
                {
                  title: words.columns.who,
                  cell: (row) => <Name>{whoOf(row, keys)}</Name>,
                  isWide: true,
                  isBare: true,
                },
                {
                  title: words.columns.when,
                  cell: (row) => past(row.at, now),
                  align: 'end',
                  isWide: true,
                  isBare: true,
                },
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  );
}
