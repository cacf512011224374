import { useState, type ReactElement } from "react";
import { TextField } from "../../../parts/controls/fields.tsx";

/** A list of words with commas between them; what is typed stays as it is typed, and the words are read from it. */
export function WordListField(props: {
  readonly label: string;
  readonly value: readonly string[];
  readonly placeholder?: string;
  readonly onChange: (words: readonly string[]) => void;
}): ReactElement {
  const { label, value, placeholder = "", onChange } = props;
  const [typed, setTyped] = useState({ text: value.join(", "), words: value });
  // Undo, or another tab, may have changed the words without the field.
  const isCurrent = typed.words.join("\n") === value.join("\n");
  return (
    <TextField
      label={label}
      mono
      placeholder={placeholder}
      value={isCurrent ? typed.text : value.join(", ")}
      onType={(text) => {
        const words = text
          .split(",")
          .map((each) => each.trim())
          .filter((each) => each !== "");
        setTyped({ text, words });
        onChange(words);
      }}
    />
  );
}
