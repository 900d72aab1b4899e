import type { Movement, Page, Pet } from '@petstore/client';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { scopeReason } from '../../api/session.ts';
import type { Known } from '../../api/shared-queries.ts';
import { nameIn } from '../../api/shared-queries.ts';
import { FirstPet } from '../../parts/first-pet.tsx';
import { NoRows } from '../../parts/no-rows.tsx';
import { RecordList } from '../../parts/record-list.tsx';
import type { List } from '../../parts/use-list.ts';
import { BASE } from '../../router.ts';
import { IconAction } from '../../ui/button.tsx';
import { number, past } from '../../ui/format.ts';
import { type Column, Name, PastTime } from '../../ui/table.tsx';
import { useNow } from '../../ui/use-now.ts';
import { controlWords } from '../../words/controls.ts';
import { ledgerWords as words } from '../../words/ledger.ts';
import { movementWords } from '../../words/movements.ts';
import { undoWords } from '../../words/undo.ts';
import { Cause, canUndo, whoOf, whyOf } from '../movement.tsx';
import { UndoDialog } from '../undo-dialog.tsx';

interface LedgerListProps {
  ledger: List<Page<Movement>>;
  pets: Known<number, Pet>;
  keys: Known<string, string>;
}

export function LedgerList({ ledger, pets, keys }: LedgerListProps) {
  const now = useNow();
  const [undone, setUndone] = useState<Movement | undefined>(undefined);
  const columns: Column<Movement>[] = [
    {
      title: words.columns.what,
      cell: (row) => (
        <>
          <Cause movement={row} />
          <span class="second only-narrow">
            <PetLink petId={row.petId} pets={pets} />
          </span>
          <span class="second">{noteOf(row)}</span>
          <span class="second only-narrow">
            {controlWords.dotted(whoOf(row, keys), past(row.at, now))}
          </span>
        </>
      ),
    },
    {
      title: words.columns.pet,
      isWide: true,
      cell: ({ petId }) => <PetLink petId={petId} pets={pets} isRow />,
    },
    {
      title: words.columns.onHand,
      isWide: true,
      align: 'end',
      cell: ({ quantityBefore, quantityAfter }) => (
        <Step before={quantityBefore} after={quantityAfter} />
      ),
    },
    {
      title: words.columns.reserved,
      isWide: true,
      align: 'end',
      cell: ({ reservedBefore, reservedAfter }) => (
        <Step before={reservedBefore} after={reservedAfter} />
      ),
    },
    { title: words.columns.change, isNarrow: true, align: 'end', cell: changesOf },
    { title: words.columns.who, isWide: true, cell: (row) => <Name>{whoOf(row, keys)}</Name> },
    {
      title: words.columns.when,
      isWide: true,
      align: 'end',
      cell: ({ at }) => <PastTime at={at} now={now} />,
    },
    {
      title: undoWords.undo,
      isBare: true,
      align: 'end',
      cell: (row) =>
        canUndo(row) && (
          <IconAction
            icon="undo-2"
            isEdit
            label={undoWords.undoOf(`${movementWords.causes[row.cause]} ${whyOf(row)}`)}
            offReason={scopeReason('write')}
            onClick={() => setUndone(row)}
          />
        ),
    },
  ];
  return (
    <>
      <RecordList
        label={words.label}
        list={ledger}
        isHeld={pets.isPending || keys.isPending}
        columns={columns}
        keyOf={({ id }) => id}
        empty={() => (
          <NoRows
            icon="scroll-text"
            words={words.noRows}
            isFiltered={ledger.isFiltered}
            path="/ledger"
          >
            <FirstPet />
          </NoRows>
        )}
        onPage={words.onPage}
      />
      {undone && (
        <UndoDialog
          movement={undone}
          name={nameIn(pets, undone.petId)}
          onClose={() => setUndone(undefined)}
        />
      )}
    </>
  );
}

function PetLink({
  petId,
  pets,
  isRow,
}: Pick<LedgerListProps, 'pets'> & { petId: number; isRow?: boolean }) {
  return (
    <a data-row={isRow} href={`${BASE}/inventory?pet=${petId}`}>
      {nameIn(pets, petId)}
    </a>
  );
}

/** Why, and whether it undoes a row or was undone. */
function noteOf(row: Movement): string {
  return controlWords.dotted(
    whyOf(row),
    row.reverses === undefined ? '' : undoWords.undoes(row.reverses),
    row.reversedBy === undefined ? '' : undoWords.wasUndone,
  );
}

/** The counts that changed, one below the other: a phone has no room for two columns of them. */
function changesOf(row: Movement): ComponentChildren {
  const counts = [
    [words.columns.onHand, row.quantityBefore, row.quantityAfter],
    [words.columns.reserved, row.reservedBefore, row.reservedAfter],
  ] as const;
  const changed = counts.filter(([, before, after]) => before !== after);
  if (changed.length === 0) return movementWords.unchanged;
  return changed.map(([title, before, after]) => (
    <span key={title}>
      <span class="second">{title}</span>
      <Step before={before} after={after} />
    </span>
  ));
}

/** "3 → 9", or the count alone where it did not change. */
function Step({ before, after }: { before: number; after: number }) {
  if (before === after) return <span class="muted">{number(after)}</span>;
  return <strong class="step">{movementWords.fromTo(before, after)}</strong>;
}
