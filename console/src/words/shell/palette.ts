import { wordsOf } from '../words-of.ts';

export const paletteWords = wordsOf({
  label: 'Search screens, actions, pets and orders',
  placeholder: 'Screen, action, pet, customer, number or reference',
  screens: 'Screens',
  actions: 'Actions',
  adjust: 'Adjust stock',
  newOrder: 'New order',
  createKey: 'Create API key',
  newKey: 'New API key',
  pet: (id: number, reference?: string) => [`Pet ${id}`, reference].filter(Boolean).join(' · '),
  order: (id: number, whose: string) => `Order ${id} · ${whose}`,
  orders: 'Orders',
  goToOrder: (id: string) => `Order ${id}`,
  nothing: 'No results.',
  help: 'Keyboard shortcuts',
  shortcuts: [
    ['Ctrl K', 'Search'],
    ['/', 'Go to search'],
    ['j', 'Next row'],
    ['k', 'Previous row'],
    ['Enter', 'Open row'],
    ['e', 'Edit row'],
    ['Esc', 'Close'],
    ['?', 'Show this list'],
  ] as const,
  goTo: (title: string) => `Go to ${title}`,
  footer:
    'You can turn off single-letter shortcuts in the account menu. They are off while you type.',
});
