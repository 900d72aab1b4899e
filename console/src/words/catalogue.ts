import { count } from '../ui/format.ts';
import { wordsOf } from './words-of.ts';

const unitsOf = (units: number) => count(units, 'unit');

/** Pets. */
export const catalogueWords = wordsOf({
  lead: 'Your pets and their categories.',
  tabs: { pets: 'Pets', categories: 'Categories' },
  tabsLabel: 'Catalogue',
  newPet: 'New pet',
  importCsv: 'Import CSV',
  status: 'Status',
  statuses: { all: 'All', available: 'Available', pending: 'Pending', sold: 'Sold out' },
  category: 'Category',
  anyCategory: 'All categories',
  noCategory: (id: number) => `Category ${id}`,
  name: 'Name',
  namePlaceholder: 'Search by name',
  columns: { pet: 'Pet', category: 'Category', status: 'Status', do: 'Actions' },
  listLabel: 'Pets',
  petNote: (id: number, reference?: string) =>
    reference === undefined ? `Pet ${id}` : `Pet ${id} · ${reference}`,
  reference: 'Reference',
  referenceHint: 'Its number in another system, such as a bar code. No two pets share one.',
  pet: (id: number) => `Pet ${id}`,
  narrowNote: (category: string, status: string) => `${category} · ${status}`,
  onPage: (rows: number, areAll: boolean) =>
    areAll ? count(rows, 'pet') : `${count(rows, 'pet')} on this page`,
  noRows: {
    emptyTitle: 'No pets yet',
    emptyText: 'Each pet belongs to a category and starts with 1 in stock. Start with a category:',
    noMatchTitle: 'No pets found',
    noMatchText: 'No pet matches these filters.',
  },
  toCategories: 'Go to categories',
  editOf: (name: string) => `Edit ${name}`,
  holdOf: (name: string) => `Hold ${name}`,
  unholdOf: (name: string) => `Remove hold from ${name}`,
  deleteOf: (name: string) => `Delete ${name}`,
  cannotHold: 'Out of stock',
  allReserved: 'All units are reserved for open orders',
  onHold: 'On hold',
  saving: 'Saving …',
  kept: 'Rate limit reached. Sending when it resets.',
  putBack: (why: string) => `Not saved. ${why}`,
  saved: (name: string) => `${name} saved.`,
  held: (name: string) => `${name} is on hold and cannot be ordered.`,
  unheld: (name: string) => `${name} can be ordered again.`,
  editTitle: 'Edit pet',
  petName: 'Name',
  needsName: 'Enter a name of 1 to 200 characters.',
  needsCategory: 'Select a category.',
  choose: 'Select …',
  busy: 'Another change to this pet is still being saved.',
  newTitle: 'New pet',
  startsAs: 'Status',
  starts: { available: 'Available', pending: 'On hold', sold: 'Sold out' },
  startNotes: {
    available: 'Starts with 1 in stock and can be ordered right away.',
    pending: 'Starts with 1 in stock and cannot be ordered until you remove the hold.',
    sold: 'Starts with no stock. Add stock in Inventory.',
  },
  create: 'Create pet',
  created: (name: string) => `${name} created.`,
  noCategories: 'There are no categories yet. Create one first.',
  deleteText: (units: number) =>
    units === 0
      ? 'Its ledger is hidden. Past orders stay. This cannot be undone.'
      : `Its stock of ${unitsOf(units)} and its ledger are hidden. Past orders stay. This cannot be undone.`,
  inTheWay: (units: number) =>
    `${count(units, 'unit is', 'units are')} reserved for open orders, so this pet cannot be deleted. Fulfil or cancel those orders first.`,
  showOrders: 'View orders',
  keep: 'Keep pet',
  delete: 'Delete pet',
  deleted: (name: string) => `${name} deleted.`,
});

/** Categories. */
export const categoryWords = wordsOf({
  lead: 'Group your pets. Every pet belongs to one category.',
  new: 'New category',
  listLabel: 'Categories',
  columns: { name: 'Category', pets: 'Pets', do: 'Actions' },
  number: (id: number) => `Category ${id}`,
  noDescription: 'No description',
  showPets: 'View pets',
  ofCategory: (name: string) => `of ${name}`,
  onPage: (rows: number, areAll: boolean) =>
    areAll
      ? count(rows, 'category', 'categories')
      : count(rows, 'category on this page', 'categories on this page'),
  noRows: {
    emptyTitle: 'No categories yet',
    emptyText: 'Create the first one here, or from a terminal:',
    noMatchTitle: 'No categories found',
    noMatchText: 'No category name starts with this.',
  },
  editOf: (name: string) => `Edit ${name}`,
  deleteOf: (name: string) => `Delete ${name}`,
  editTitle: 'Edit category',
  name: 'Name',
  namePlaceholder: 'Dogs',
  nameFilter: 'Name starts with …',
  description: 'Description',
  needsName: 'Enter a name of 1 to 200 characters.',
  create: 'Create category',
  created: (name: string) => `Category ${name} created.`,
  saved: (name: string) => `Category ${name} saved.`,
  deleteTitle: (name: string) => `Delete category ${name}`,
  deleteText: 'You can only delete a category that has no pets. This cannot be undone.',
  inUse: 'View its pets',
  delete: 'Delete category',
  deleted: (name: string) => `Category ${name} deleted.`,
});

/** Import of a CSV file. */
export const importWords = wordsOf({
  title: 'Import pets from a CSV file',
  lead: 'The first row names the columns: name and category (name or number); status, reference and lowStockAt are optional. Up to 1,000 rows.',
  file: 'CSV file',
  example:
    'name,category,status,reference,lowStockAt\nRex,Dogs,available,DOG-0007,2\n"Mia, the second",Cats,pending,,',
  exampleLabel: 'Example',
  tooLarge: 'This file is larger than 2 MB. Split it.',
  notText: 'This file is not UTF-8 text. Save it as “CSV UTF-8” and choose it again.',
  openQuote: (line: number) => `A quotation mark that opens in line ${line} is never closed.`,
  afterQuote: (line: number) =>
    `In line ${line}, text follows a closing quotation mark. Double the mark inside a text: "".`,
  noRows: 'This file has no rows below its first one.',
  noColumn: (name: string) => `The first row has no column “${name}”.`,
  tooMany: (rows: number) => `This file has ${count(rows, 'row')}. Import up to 1,000 at a time.`,
  ignored: (columns: string) => `These columns are not read: ${columns}.`,
  ready: (rows: number, requests: number) =>
    `${count(rows, 'row')} to send. It costs ${count(requests, 'request')} of the plan.`,
  first: (shown: number, rows: number) =>
    `${shown} of ${count(rows, 'row')}, those with a problem first`,
  allShown: (rows: number) => count(rows, 'row'),
  columns: { line: 'Line', name: 'Name', category: 'Category', status: 'Status', why: 'Why' },
  missing: 'missing',
  noName: 'The name is missing.',
  noCategory: 'The category is missing.',
  longName: (most: number) => `The name has more than ${most} characters.`,
  longCategory: (most: number) => `The name of the category has more than ${most} characters.`,
  unknownStatus: (status: string) => `“${status}” is not a status. Use available, pending or sold.`,
  notUnits: (text: string) =>
    `“${text}” is not a threshold. Use a whole number from 0 to 1,000,000.`,
  newCategories: (categories: number, names: string) =>
    `${count(categories, 'category', 'categories')} will be created first: ${names}.`,
  skipped: (rows: number) =>
    `${count(rows, 'row has', 'rows have')} a problem and will not be imported.`,
  submit: (rows: number) => `Import ${count(rows, 'row')}`,
  sending: 'Importing …',
  fields: {
    name: 'Name',
    categoryId: 'Category',
    status: 'Status',
    reference: 'Reference',
    lowStockAt: 'Low at',
  } as Record<string, string>,
  rowError: (field: string, message: string) => `${field} ${message}`,
  done: (created: number) =>
    created === 0 ? 'No pet was created.' : `${count(created, 'pet')} created.`,
  refused: (rows: number) => `${count(rows, 'row was', 'rows were')} not imported:`,
  refusedLabel: 'Rows that were not imported',
  saveRefused: 'Download these rows as CSV',
  close: 'Done',
});
