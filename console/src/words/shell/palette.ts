import { wordsOf } from '../words-of.ts';

export const paletteWords = wordsOf({
  label: 'Search screens, pets and orders',
  placeholder: 'A screen, a pet, or the number of an order',
  screens: 'Screens',
  pets: 'Pets',
  orders: 'Orders',
  goToOrder: (id: string) => `Order ${id}`,
  nothing: 'Nothing found.',
  help: 'Keyboard shortcuts',
  shortcuts: [
    ['Ctrl K', 'Search'],
    ['/', 'Go to the filter'],
    ['j', 'Next row'],
    ['k', 'Row before'],
    ['Enter', 'Open the row'],
    ['e', 'Edit the row'],
    ['Esc', 'Close what is open'],
    ['?', 'Show this list'],
  ] as const,
  goTo: (title: string) => `Go to ${title}`,
  footer: 'Single letters can be switched off in the account menu. They do nothing while you type.',
});
