// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, useId } from "react";
import styles from "./choice.module.css";

/** A labelled select. Uses the browser's control, for its familiar keyboard and screen reader support. */
export function Choice({
  label,
  value,
  options,
  onChoose,
}: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onChoose: (value: string) => void;
}): ReactNode {
  const id = useId();
  const isKnown = options.some((option) => option.value === value);
  return (
    <span className={styles["choice"]}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={({ target }) => onChoose(target.value)}>
        {!isKnown && <option value={value}>{value}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </span>
  );
}
