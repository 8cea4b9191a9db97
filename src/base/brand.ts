// SPDX-License-Identifier: Apache-2.0

declare const brand: unique symbol;

/** A `Base` that is a distinct type for the compiler. Created by a parse or create function, never by a literal. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };
