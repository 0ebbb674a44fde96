import DefaultTheme from 'vitepress/theme';
import './drawing.css';

export default DefaultTheme;
