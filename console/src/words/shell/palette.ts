import { wordsOf } from '../words-of.ts';

export const paletteWords = wordsOf({
  label: 'Search pets, screens and actions',
  placeholder: 'A screen, an action, or the beginning of a pet’s name',
  screens: 'Screens',
  pets: 'Pets',
  orders: 'Orders',
  goToOrder: (id: string) => `Order ${id}`,
  nothing: 'Nothing found.',
  help: 'Keyboard shortcuts',
  shortcuts: [
    ['Ctrl K', 'Search and commands'],
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
