import { useEffect, useState } from 'preact/hooks';

type Sheet = 'pick' | 'slips';

/** The sheet that is being printed, and a way to print one. It is on paper alone. */
export function usePrint(): [Sheet | undefined, (sheet: Sheet) => void] {
  const [sheet, setSheet] = useState<Sheet | undefined>(undefined);
  useEffect(() => {
    if (sheet === undefined) return;
    const end = () => setSheet(undefined);
    addEventListener('afterprint', end, { once: true });
    print();
    return () => removeEventListener('afterprint', end);
  }, [sheet]);
  return [sheet, setSheet];
}
