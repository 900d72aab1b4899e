import { may } from '../api/session.ts';
import { routes } from '../routes.ts';
import { Dialog } from '../ui/dialog.tsx';
import { navigationWords } from '../words/shell/navigation.ts';
import { paletteWords as words } from '../words/shell/palette.ts';
import { isHelpOpen } from './shortcuts.ts';

export function HelpDialog() {
  const goTo = routes
    .filter(({ letter, scope }) => letter !== undefined && may(scope))
    .map(({ letter, name }) => [`g ${letter}`, words.goTo(navigationWords.titles[name])] as const);
  return (
    <Dialog
      title={words.help}
      width="wide"
      onClose={() => {
        isHelpOpen.value = false;
      }}
    >
      <dl class="shortcuts">
        {[...words.shortcuts, ...goTo].map(([keys, text]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <p class="hint">{words.footer}</p>
    </Dialog>
  );
}
