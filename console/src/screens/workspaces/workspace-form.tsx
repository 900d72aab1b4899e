import type { Limits, Workspace } from '@petstore/client';
import { SelectField, TextField } from '../../ui/fields/field.tsx';
import { limitWords } from '../../words/shell/limits.ts';
import { workspaceWords as words } from '../../words/workspaces.ts';
import { usePlans } from '../plan/plan-queries.ts';

type PlanId = Workspace['plan'];
const PLANS: readonly PlanId[] = ['free', 'pro', 'business', 'enterprise'];
const LIMIT_MAX = 1_000_000_000;

/** What the form holds, as it is typed. */
export interface WorkspaceInput {
  name: string;
  plan: PlanId;
  perMinute: string;
  perDay: string;
}

export function inputOf(workspace?: Workspace): WorkspaceInput {
  return {
    name: workspace?.name ?? '',
    plan: workspace?.plan ?? 'free',
    perMinute: String(workspace?.limits.perMinute ?? ''),
    perDay: String(workspace?.limits.perDay ?? ''),
  };
}

const isLimit = (text: string) =>
  /^\d{1,10}$/.test(text) && Number(text) >= 1 && Number(text) <= LIMIT_MAX;

/** What is wrong with the input, by field. */
export function faultsOf({ name, plan, perMinute, perDay }: WorkspaceInput) {
  const hasLimits = plan === 'enterprise';
  return {
    name: name.trim() === '' ? words.needsName : undefined,
    perMinute: hasLimits && !isLimit(perMinute) ? words.needsLimit : undefined,
    perDay: hasLimits && !isLimit(perDay) ? words.needsLimit : undefined,
  };
}

/** The fields as the service takes them: limits go with Enterprise only. */
export function bodyOf({ name, plan, perMinute, perDay }: WorkspaceInput) {
  const limits: Limits = { perMinute: Number(perMinute), perDay: Number(perDay) };
  return { name: name.trim(), plan, ...(plan === 'enterprise' && { limits }) };
}

export interface WorkspaceFieldsProps {
  input: WorkspaceInput;
  onChange: (input: WorkspaceInput) => void;
  /** Whether to say what is wrong. */
  isChecked: boolean;
}

export function WorkspaceFields({ input, onChange, isChecked }: WorkspaceFieldsProps) {
  const plans = usePlans();
  const fixed = plans.data?.find(({ id }) => id === input.plan);
  const faults = isChecked ? faultsOf(input) : undefined;
  return (
    <>
      <TextField
        label={words.name}
        hint={words.nameHint}
        value={input.name}
        onInput={(name) => onChange({ ...input, name })}
        maxLength={200}
        error={faults?.name}
      />
      <SelectField
        label={words.plan}
        value={input.plan}
        options={PLANS.map((plan) => [plan, limitWords.plans[plan] ?? plan] as const)}
        onChange={(plan) => onChange({ ...input, plan: plan as PlanId })}
        hint={
          fixed?.perMinute !== undefined && fixed.perDay !== undefined
            ? words.fixed(words.limits(fixed.perMinute, fixed.perDay))
            : undefined
        }
      />
      {input.plan === 'enterprise' && (
        <div class="pair">
          {(['perMinute', 'perDay'] as const).map((name) => (
            <TextField
              key={name}
              label={words[name]}
              inputMode="numeric"
              hint={words.limitsHint}
              value={input[name]}
              onInput={(text) => onChange({ ...input, [name]: text.trim() })}
              error={faults?.[name]}
            />
          ))}
        </div>
      )}
    </>
  );
}
