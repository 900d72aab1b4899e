import { TextField, type TextFieldProps } from '../../ui/fields/field.tsx';
import { catalogueWords as words } from '../../words/catalogue.ts';

const REFERENCE_LENGTH_MAX = 100;

/** The number of a pet in another system, such as its bar code. */
export function ReferenceField(props: Pick<TextFieldProps, 'value' | 'onInput' | 'error'>) {
  return (
    <TextField
      {...props}
      label={words.reference}
      hint={words.referenceHint}
      isOptional
      maxLength={REFERENCE_LENGTH_MAX}
    />
  );
}
