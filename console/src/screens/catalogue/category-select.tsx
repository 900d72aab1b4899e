import { useQuery } from '../../api/query.ts';
import { categoriesQuery } from '../../api/shared-queries.ts';
import { SelectField, type SelectFieldProps } from '../../ui/fields/field.tsx';
import { catalogueWords as words } from '../../words/catalogue.ts';

interface CategorySelectProps extends Omit<SelectFieldProps, 'options' | 'onChange'> {
  /** What the choice of none is called. */
  none: string;
  onChange: (categoryId: number | undefined) => void;
}

export function CategorySelect({ none, onChange, ...field }: CategorySelectProps) {
  const { data } = useQuery(categoriesQuery);
  const known = (data?.items ?? []).map(({ id, name }) => [String(id), name] as const);
  return (
    <SelectField
      {...field}
      options={[['', none] as const, ...known]}
      missing={words.noCategory(Number(field.value))}
      onChange={(value) => onChange(value === '' ? undefined : Number(value))}
    />
  );
}

/** The name of a category by its id. */
export function useCategoryName(): (id: number) => string {
  const { data } = useQuery(categoriesQuery);
  return (id) => data?.items.find((each) => each.id === id)?.name ?? words.noCategory(id);
}
