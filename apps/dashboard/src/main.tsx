import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import './style.css';
import './table.css';
import './rows.css';
import './frame.css';
import './filters.css';
import './search.css';
import './payments.css';
import './needs.css';
import './signing.css';
import './print.css';
import { App } from './app';

const page = document.getElementById('page');
if (page) render(<App />, page);
