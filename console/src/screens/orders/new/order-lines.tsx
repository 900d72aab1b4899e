import type { InventoryItem } from '@petstore/client';
import { useEffect, useRef } from 'preact/hooks';
import { PetPicker } from '../../../parts/pet-picker.tsx';
import { Button } from '../../../ui/button.tsx';
import { Stepper } from '../../../ui/fields/stepper.tsx';
import { orderFieldWords, newOrderWords as words } from '../../../words/orders.ts';
import { effectOfPlacing, StockEffect } from '../../stock-effect.tsx';
import {
  LINES_MAX,
  type LineStock,
  lineErrors,
  type NewOrderLine,
  unitsUpTo,
} from './new-order-draft.ts';
import { NextRelease } from './next-release.tsx';

interface OrderLinesProps {
  lines: readonly NewOrderLine[];
  stock: LineStock;
  isComplete: boolean;
  /** Whether the user has tried to send. */
  isChecked: boolean;
  /** Also gets the stock of a pet that was chosen, if it is known. */
  onChange: (lines: readonly NewOrderLine[], item?: InventoryItem) => void;
}

/** The pets of the order, with what the order does to the stock of each. */
export function OrderLines({ lines, stock, isComplete, isChecked, onChange }: OrderLinesProps) {
  const set = (key: number, changes: Partial<NewOrderLine>, item?: InventoryItem) =>
    onChange(
      lines.map((line) => (line.key === key ? { ...line, ...changes } : line)),
      item,
    );
  const add = () => {
    const key = Math.max(...lines.map((line) => line.key)) + 1;
    onChange([...lines, { key, petId: undefined, units: '1' }]);
  };
  const ref = useRef<HTMLDivElement>(null);
  const shown = useRef(lines[0]!.petId === undefined ? 0 : lines.length);
  // The field of a line that was added takes the focus, and so does the first, which is what one comes here for.
  useEffect(() => {
    if (lines.length > shown.current)
      ref.current!.querySelector<HTMLElement>('.order-line:last-of-type input')?.focus();
    shown.current = lines.length;
  }, [lines.length]);
  return (
    <div ref={ref} class="stack">
      {lines.map((line, place) => {
        const errors = lineErrors(line, lines, stock);
        const item = line.petId === undefined ? undefined : stock.now.get(line.petId);
        return (
          <section key={line.key} class="stack tight order-line" aria-label={words.line(place + 1)}>
            <div class="two-columns">
              <PetPicker
                label={words.petOf(place)}
                placeholder={words.petPlaceholder}
                petId={line.petId}
                onChange={(petId, item) => set(line.key, { petId }, item)}
                error={line.petId === undefined && !isChecked ? undefined : errors.petId}
              />
              <Stepper
                label={words.unitsOf(place)}
                fewer={orderFieldWords.fewer}
                more={orderFieldWords.oneMore}
                value={line.units}
                onInput={(units) => set(line.key, { units })}
                error={errors.units}
              />
            </div>
            {errors.isShort && <NextRelease petId={line.petId!} />}
            <div class="row placing-effect">
              {item ? (
                <StockEffect
                  before={item}
                  change={effectOfPlacing(unitsUpTo(line, lines), isComplete)}
                />
              ) : (
                <p class="muted">{words.choosePet}</p>
              )}
              {lines.length > 1 && (
                <Button
                  icon="trash-2"
                  look="quiet"
                  label={words.removeLine(place + 1)}
                  onClick={() => onChange(lines.filter(({ key }) => key !== line.key))}
                />
              )}
            </div>
          </section>
        );
      })}
      <p>
        <Button
          icon="plus"
          offReason={lines.length < LINES_MAX ? undefined : words.noMoreLines(LINES_MAX)}
          onClick={add}
        >
          {words.addLine}
        </Button>
      </p>
    </div>
  );
}
