import { useState } from 'preact/hooks';
import { scopeReason } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { EXPORT_PAGE, ExportCsv } from '../../parts/export-csv.tsx';
import { SearchBar } from '../../parts/filter-bar.tsx';
import { useList } from '../../parts/use-list.ts';
import { queryValue } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { categoryWords as words } from '../../words/catalogue.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { CatalogueTabs } from './catalogue-tabs.tsx';
import { CategoriesList, type CategoryStep } from './categories-list.tsx';
import { CategoryDialog, NewCategoryDialog } from './category-dialog.tsx';
import { DeleteCategoryDialog } from './delete-category-dialog.tsx';

export function CategoriesScreen() {
  const filter = { name: queryValue('name') };
  const list = useList('listCategories', filter, (...args) => store.categories.list(...args));
  const [step, setStep] = useState<CategoryStep | undefined>(undefined);
  const close = () => setStep(undefined);
  return (
    <div class="stack">
      <PageHead title={navigationWords.titles.categories} lead={words.lead}>
        <ExportCsv
          fileName="categories"
          columns={['id', 'name', 'description']}
          list={(signal) => store.categories.list({ ...filter, limit: EXPORT_PAGE }, { signal })}
          shown={list.data}
        />
        <Button
          look="primary"
          icon="plus"
          offReason={scopeReason('write')}
          onClick={() => setStep({ kind: 'new' })}
        >
          {words.new}
        </Button>
      </PageHead>
      <CatalogueTabs />
      <SearchBar name="name" label={words.name} placeholder={words.nameFilter} />
      <CategoriesList list={list} onStep={setStep} />
      {step?.kind === 'new' && <NewCategoryDialog onClose={close} />}
      {step?.kind === 'edit' && <CategoryDialog categoryId={step.category.id} onClose={close} />}
      {step?.kind === 'delete' && <DeleteCategoryDialog category={step.category} onClose={close} />}
    </div>
  );
}
