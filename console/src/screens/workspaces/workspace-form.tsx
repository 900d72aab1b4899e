import type { Limits, Workspace } from '@petstore/client';
import type { Form } from '../../parts/form/use-form.ts';
import { SelectField, TextField } from '../../ui/fields/field.tsx';
import { limitWords } from '../../words/shell/limits.ts';
import { workspaceWords as words } from '../../words/workspaces.ts';
import { usePlans } from '../plan/plan-queries.ts';

type PlanId = Workspace['plan'];
const PLANS: readonly PlanId[] = ['free', 'pro', 'business', 'enterprise'];
const LIMIT_MAX = 1_000_000_000;

/** What the form holds, as it is typed. */
export interface WorkspaceDraft {
  name: string;
  plan: PlanId;
  perMinute: string;
  perDay: string;
}

export function draftOf(workspace?: Workspace): WorkspaceDraft {
  return {
    name: workspace?.name ?? '',
    plan: workspace?.plan ?? 'free',
    perMinute: String(workspace?.limits.perMinute ?? ''),
    perDay: String(workspace?.limits.perDay ?? ''),
  };
}

export const isLimit = (text: string) =>
  /^\d{1,10}$/.test(text) && Number(text) >= 1 && Number(text) <= LIMIT_MAX;

/** What is wrong with the input, by field. */
export function errorsOf({ name, plan, perMinute, perDay }: WorkspaceDraft) {
  const hasLimits = plan === 'enterprise';
  return {
    name: name.trim() === '' ? words.needsName : undefined,
    perMinute: hasLimits && !isLimit(perMinute) ? words.needsLimit : undefined,
    perDay: hasLimits && !isLimit(perDay) ? words.needsLimit : undefined,
  };
}

/** The fields as the service takes them: limits go with Enterprise only. */
export function bodyOf({ name, plan, perMinute, perDay }: WorkspaceDraft) {
  const limits: Limits = { perMinute: Number(perMinute), perDay: Number(perDay) };
  return { name: name.trim(), plan, ...(plan === 'enterprise' && { limits }) };
}

type WorkspaceFieldsProps = Pick<Form<WorkspaceDraft, unknown>, 'draft' | 'errors' | 'set'>;

export function WorkspaceFields({ draft, errors, set }: WorkspaceFieldsProps) {
  const plans = usePlans();
  const fixed = plans.data?.find(({ id }) => id === draft.plan);
  return (
    <>
      <TextField
        label={words.name}
        hint={words.nameHint}
        value={draft.name}
        onInput={(name) => set({ name })}
        maxLength={200}
        error={errors.name}
      />
      <SelectField
        label={words.plan}
        value={draft.plan}
        options={PLANS.map((plan) => [plan, limitWords.plans[plan] ?? plan] as const)}
        onChange={(plan) => set({ plan: plan as PlanId })}
        hint={
          fixed?.perMinute !== undefined && fixed.perDay !== undefined
            ? words.fixed(words.limits(fixed.perMinute, fixed.perDay))
            : undefined
        }
      />
      {draft.plan === 'enterprise' && (
        <div class="pair">
          {(['perMinute', 'perDay'] as const).map((name) => (
            <TextField
              key={name}
              label={words[name]}
              inputMode="numeric"
              hint={words.limitsHint}
              value={draft[name]}
              onInput={(text) => set({ [name]: text.trim() })}
              error={errors[name]}
            />
          ))}
        </div>
      )}
    </>
  );
}
