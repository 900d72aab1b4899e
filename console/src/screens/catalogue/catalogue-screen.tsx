import { useEffect, useState } from 'preact/hooks';
import { may } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { useList } from '../../parts/use-list.ts';
import { Button } from '../../ui/button.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { catalogueWords as words } from '../../words/catalogue.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { CatalogueTabs } from './catalogue-tabs.tsx';
import { Filters } from './filters.tsx';
import { ImportDialog } from './import/import-dialog.tsx';
import { NewPetDialog } from './new-pet-dialog.tsx';
import { petNotes } from './pet-notes.ts';
import { PetsList } from './pets-list.tsx';
import { petFilter } from './query.ts';

export function CatalogueScreen() {
  const filter = petFilter();
  const list = useList('listPets', filter, (...args) => store.pets.list(...args));
  const [dialog, setDialog] = useState<'new' | 'import' | undefined>(undefined);
  useEffect(() => {
    petNotes.value = {};
  }, []);
  const close = () => setDialog(undefined);
  return (
    <div class="stack">
      <PageHead title={navigationWords.titles.catalogue} lead={words.lead}>
        <ExportCsv
          fileName="pets"
          columns={['id', 'name', 'categoryId', 'status']}
          list={(signal) => store.pets.list({ ...filter, limit: 100 }, { signal })}
        />
        {may('write') && (
          <>
            <Button icon="upload" onClick={() => setDialog('import')}>
              {words.importCsv}
            </Button>
            <Button look="primary" icon="plus" onClick={() => setDialog('new')}>
              {words.newPet}
            </Button>
          </>
        )}
      </PageHead>
      <CatalogueTabs />
      <Filters />
      <PetsList list={list} />
      {dialog === 'new' && <NewPetDialog categoryId={filter.categoryId} onClose={close} />}
      {dialog === 'import' && <ImportDialog onClose={close} />}
    </div>
  );
}
