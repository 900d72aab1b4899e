import type { ComponentChildren } from 'preact';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons/icon.tsx';
import { controlWords as words } from '../../words/controls.ts';
import { type ConflictField, differing } from './conflict-fields.ts';

interface ConflictProps {
  fields: readonly ConflictField[];
  /** Why the record can no longer be changed, whatever the input is. */
  ended?: string | undefined;
  /** What came between: the row of the ledger, if there is one. */
  children?: ComponentChildren;
  /** Called with the form around it. */
  onApply: (form: HTMLFormElement) => void;
  onDiscard: () => void;
}

/** Someone changed the record while it was open: theirs and yours, field by field. The input stays. */
export function Conflict({ fields, ended, children, onApply, onDiscard }: ConflictProps) {
  const changed = differing(fields);
  return (
    <div class="notice warn" role="alert">
      <Icon name="triangle-alert" />
      <div class="stack">
        <p>
          <strong>{ended ?? words.conflictTitle}</strong>
        </p>
        {children && <p>{children}</p>}
        {ended === undefined &&
          (changed.length > 0 ? <Compare fields={changed} /> : <p>{words.sameNow}</p>)}
        <div class="actions">
          {ended === undefined && (
            <Button size="small" onClick={({ currentTarget }) => onApply(currentTarget.form!)}>
              {words.applyAgain}
            </Button>
          )}
          <Button size="small" look="quiet" onClick={onDiscard}>
            {ended === undefined ? words.letGo : words.close}
          </Button>
        </div>
      </div>
    </div>
  );
}

function Compare({ fields }: { fields: readonly ConflictField[] }) {
  return (
    <table class="compare">
      <thead>
        <tr>
          <td />
          <th scope="col">{words.theirs}</th>
          <th scope="col">{words.yours}</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ name, theirs, yours }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{theirs}</td>
            <td>{yours}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
