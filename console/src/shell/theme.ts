import { signal } from '@preact/signals';

type Theme = 'system' | 'light' | 'dark';

const stored = (name: string) => {
  try {
    return localStorage.getItem(name);
  } catch {
    // A browser that blocks storage forgets the choice; all else works.
    return null;
  }
};

export const theme = signal<Theme>((stored('theme') as Theme | null) ?? 'system');
export const isDense = signal(stored('density') === 'dense');

const prefersDark = matchMedia('(prefers-color-scheme: dark)');
export const isDark = () =>
  theme.value === 'dark' || (theme.value === 'system' && prefersDark.matches);

function remember(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {}
}

export function switchTheme(): void {
  theme.value = isDark() ? 'light' : 'dark';
  remember('theme', theme.value);
}

export function switchDensity(): void {
  isDense.value = !isDense.value;
  remember('density', isDense.value ? 'dense' : 'normal');
}

export function startTheme(): void {
  const apply = () => {
    document.documentElement.dataset.theme = theme.value;
    document.documentElement.dataset.density = isDense.value ? 'dense' : 'normal';
  };
  theme.subscribe(apply);
  isDense.subscribe(apply);
}
