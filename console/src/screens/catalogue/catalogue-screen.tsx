import { useEffect, useState } from 'preact/hooks';
import { scopeReason } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { EXPORT_PAGE, ExportCsv } from '../../parts/export-csv.tsx';
import { useList } from '../../parts/use-list.ts';
import { Button } from '../../ui/button.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { catalogueWords as words } from '../../words/catalogue.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { CatalogueTabs } from './catalogue-tabs.tsx';
import { useCategoryName } from './category-select.tsx';
import { DeletePetDialog } from './delete-pet-dialog.tsx';
import { EditPetDialog } from './edit-pet-dialog.tsx';
import { Filters } from './filters.tsx';
import { ImportDialog } from './import/import-dialog.tsx';
import { NewPetDialog } from './new-pet-dialog.tsx';
import type { PetStep } from './pet-actions.tsx';
import { petNotes } from './pet-notes.ts';
import { PetsList } from './pets-list.tsx';
import { petFilter } from './query.ts';

export function CatalogueScreen() {
  const filter = petFilter();
  const list = useList('listPets', filter, (...args) => store.pets.list(...args));
  const [step, setStep] = useState<PetStep | undefined>(undefined);
  useEffect(() => {
    petNotes.value = {};
  }, []);
  const categoryName = useCategoryName();
  const close = () => setStep(undefined);
  return (
    <div class="stack">
      <PageHead title={navigationWords.titles.catalogue} lead={words.lead}>
        <ExportCsv
          fileName="pets"
          columns={['id', 'name', 'reference', 'categoryId', 'category', 'status', 'lowStockAt']}
          list={(signal) => store.pets.list({ ...filter, limit: EXPORT_PAGE }, { signal })}
          shown={list.data}
          // The list has read the categories already.
          withNames={{
            requests: 0,
            add: async (pets) =>
              pets.map((pet) => ({ ...pet, category: categoryName(pet.categoryId) })),
          }}
        />
        <Button
          icon="upload"
          offReason={scopeReason('write')}
          onClick={() => setStep({ kind: 'import' })}
        >
          {words.importCsv}
        </Button>
        <Button
          look="primary"
          icon="plus"
          offReason={scopeReason('write')}
          onClick={() => setStep({ kind: 'new' })}
        >
          {words.newPet}
        </Button>
      </PageHead>
      <CatalogueTabs />
      <Filters />
      <PetsList list={list} onStep={setStep} />
      {step?.kind === 'new' && <NewPetDialog categoryId={filter.categoryId} onClose={close} />}
      {step?.kind === 'import' && <ImportDialog onClose={close} />}
      {step?.kind === 'edit' && <EditPetDialog pet={step.pet} onClose={close} />}
      {step?.kind === 'delete' && <DeletePetDialog pet={step.pet} onClose={close} />}
    </div>
  );
}
