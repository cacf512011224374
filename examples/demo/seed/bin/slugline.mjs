#!/usr/bin/env node
import { slugify } from "../src/slug.mjs";

console.log(slugify(process.argv.slice(2).join(" ")));
