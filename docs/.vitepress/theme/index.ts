import DefaultTheme from 'vitepress/theme';
import type { Theme } from 'vitepress';
import Drawing from './drawing.vue';

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component('Drawing', Drawing),
} satisfies Theme;
